import type { PlaygroundMode, PlaygroundRoute } from '../shared/route.ts';
import type { UseChanged } from './usageHint/machine.ts';
import type { SavingSessionNotice } from './live/savingSession/machine.ts';
import type { PlaygroundPush } from './listSync/pushes.ts';
import type { LibraryNotice } from './library/machine.ts';
import type { PlayerNotice } from './player/machine.ts';
import type { SampleNotice } from './sample/machine.ts';
import type { AsyncPatch, TranslationEvent } from './settings/change.ts';
import type { TranscriptionNotice } from './transcription/machine.ts';
import type { UploadNotice } from './upload/machine.ts';

export type Panel = 'settings' | 'history';

export type PlaygroundUserEvent =
  | TranslationEvent
  | { type: 'settings.changed'; patch: AsyncPatch }
  | { type: 'model.selected'; modelId: string }
  | { type: 'mode.selected'; mode: PlaygroundMode }
  | { type: 'panel.selected'; panel: Panel }
  | { type: 'file.removed.requested' }
  | { type: 'transcribe.requested' }
  | { type: 'reload.requested' }
  | { type: 'view.open.requested' }
  | { type: 'retry.requested' };

/** The machine's word to its own regions: to the panel, for the address that comes says it too; to the job, whose refusal was about what has changed now. */
type Inner = { type: 'history.shown' } | { type: 'request.changed' };

/** A part of the page could not be drawn, and offers to be opened again. */
export type PartFailed = { type: 'part.failed' };

type RouteEvent = { type: 'route.changed'; route: PlaygroundRoute };

export type PlaygroundEvent =
  | PlaygroundUserEvent
  | RouteEvent
  | PlaygroundPush
  | LibraryNotice
  | PartFailed
  | Inner
  | SavingSessionNotice
  | PlayerNotice
  | SampleNotice
  | TranscriptionNotice
  | UploadNotice
  | UseChanged;
