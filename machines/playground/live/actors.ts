import type { SampleName } from '#contract/samples.ts';
import type { EventObject } from 'xstate';
import { callbackPlaceholder, promisePlaceholder } from '../../shared/placeholder.ts';
import type { PickedFile } from '../upload/actors.ts';

/** Sent by `clock` every second: whole seconds since it started. */
export type ClockEvent = { type: 'clock.ticked'; elapsedSeconds: number };

export const clock = callbackPlaceholder<EventObject>('clock');

/** Resolves once the browser can play a picked file; rejects with a text for people if it cannot. Plays nothing. */
export const probeFile = promisePlaceholder<void, { file: PickedFile }>('probeFile');

/** Fetches one of the server's sample recordings as a file. */
export const fetchSample = promisePlaceholder<PickedFile, { name: SampleName }>('fetchSample');
