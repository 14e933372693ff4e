import type { LiveSessionToKeep } from '#contract/transcriptions.ts';
import type { LiveSettings } from '../settings/types.ts';
import type { TranscriptRecord } from '../transcript/record.ts';
import type { Tally } from './tally.ts';
import type { PickedFile } from '../upload/actors.ts';

export type LiveSource = 'microphone' | 'file';

/** State of the live side that outlives its screen (CON-02). */
export type SavedLive = {
  record: TranscriptRecord;
  settings: LiveSettings;
  modelId: string | null;
  source: LiveSource;
  /** Microphone; null for the browser's choice. */
  deviceId: string | null;
  file: PickedFile | null;
  elapsedSeconds: number;
  /** Of the running or last session. */
  tally: Tally;
  /** The latest session, if it is not saved. */
  unsaved: LiveSessionToKeep | null;
  /** Whether the words that can be kept are the last session's; false also while one runs. */
  offersLast: boolean;
};
