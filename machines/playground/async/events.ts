import type { Transcription } from '#contract/transcriptions.ts';
import type { LibraryNotice } from '../library/machine.ts';
import type { PlaygroundPush } from '../listSync/pushes.ts';
import type { SavingSessionNotice } from '../live/savingSession/machine.ts';
import type { PlayerNotice } from '../player/machine.ts';
import type { SampleNotice } from '../sample/machine.ts';
import type { AsyncPatch, TranslationEvent } from '../settings/change.ts';
import type { TranscriptionNotice } from '../transcription/machine.ts';
import type { PickedFile } from '../upload/actors.ts';
import type { UploadNotice } from '../upload/machine.ts';
import type { BalanceRead } from '../usageHint/machine.ts';
import type { RequestOpened, RouteChanged } from '../events.ts';

export type Panel = 'settings' | 'history';

type AsyncUserEvent =
  | TranslationEvent
  | { type: 'settings.changed'; patch: AsyncPatch }
  | { type: 'model.selected'; modelId: string }
  | { type: 'panel.selected'; panel: Panel }
  | { type: 'file.removed.requested' }
  | { type: 'transcribe.requested' }
  /** The panel takes over what a failed transcription asked for, to be corrected. */
  | { type: 'request.reused'; transcription: Transcription }
  /** Asks for a failed transcription once more, whatever the panel has. */
  | { type: 'request.repeated'; transcription: Transcription }
  /** Asks for a failed transcription once more, with this file. */
  | { type: 'recording.replaced'; file: PickedFile; transcription: Transcription }
  | { type: 'reload.requested' };

/** What the playground passes on: address, what others do, a saved live session, balance, a request of the logs. */
export type AsyncHeard = RouteChanged | PlaygroundPush | SavingSessionNotice | BalanceRead | RequestOpened;

/** The machine's word to its own regions: to the panel, for the address that comes says it too; to the job, whose refusal was about what has changed now. */
type Inner = { type: 'history.shown' } | { type: 'request.changed' };

export type AsyncEvent =
  | AsyncUserEvent
  | AsyncHeard
  | LibraryNotice
  | Inner
  | PlayerNotice
  | SampleNotice
  | TranscriptionNotice
  | UploadNotice;
