import type { LiveSessionToKeep } from '#contract/transcriptions.ts';
import type { LiveSettings } from '../settings/types.ts';
import type { TranscriptRecord } from '../transcript/record.ts';
import type { Tally } from './tally.ts';
import type { PickedFile } from '../upload/actors.ts';

export type LiveSource = 'microphone' | 'file';

/** What of the live side outlives its screen (CON-02). */
export type SavedLive = {
  record: TranscriptRecord;
  settings: LiveSettings;
  modelId: string | null;
  source: LiveSource;
  /** Of the microphone; null: the browser's own choice. */
  deviceId: string | null;
  file: PickedFile | null;
  elapsedSeconds: number;
  tally: Tally;
  /** What was said last and is not saved yet. */
  unsaved: LiveSessionToKeep | null;
};
