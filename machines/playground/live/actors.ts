import type { SampleName } from '#contract/samples.ts';
import type { EventObject } from 'xstate';
import { callbackPlaceholder, promisePlaceholder } from '../../shared/placeholder.ts';
import type { PickedFile } from '../upload/actors.ts';

/** What `clock` sends back, once a second while it lives: whole seconds since it started. */
export type ClockEvent = { type: 'clock.ticked'; elapsedSeconds: number };

export const clock = callbackPlaceholder<EventObject>('clock');

/** Resolves once the browser can play a picked file; rejects with words for a person where it cannot. Plays nothing. */
export const probeFile = promisePlaceholder<void, { file: PickedFile }>('probeFile');

/** A recording that comes with the server, as a file to play. */
export const fetchSample = promisePlaceholder<PickedFile, { name: SampleName }>('fetchSample');
