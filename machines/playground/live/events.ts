// The events of the live side.
import type { LivePatch, TranslationEvent } from '../settings/change.ts';
import type { PickedFile } from '../upload/actors.ts';
import type { LiveSource } from './types.ts';

export type LiveUserEvent =
  | TranslationEvent
  | { type: 'settings.changed'; patch: LivePatch }
  | { type: 'model.selected'; modelId: string }
  | { type: 'source.selected'; source: LiveSource }
  | { type: 'file.picked'; file: PickedFile }
  | { type: 'sample.requested' }
  | { type: 'run.requested' }
  | { type: 'stop.requested' }
  | { type: 'cancel.requested' }
  | { type: 'finalize.requested' }
  | { type: 'reset.requested' };

/** `taken`: the person changed to the other tab, or a part of the page could not be drawn; `returned`: all is back. */
export type ScreenEvent = { type: 'screen.taken' } | { type: 'screen.returned' };

/** Something other than React, such as a reader mode, removed the session's controls; or they are back. */
export type ControlsEvent = { type: 'controls.gone' } | { type: 'controls.restored' };

/** Events that the machine raises for its own regions. */
export type Inner =
  | { type: 'record.cleared' }
  | { type: 'playback.rewound' }
  | { type: 'file.adopted' }
  | { type: 'sampleFile.requested' }
  | { type: 'file.readied' };
