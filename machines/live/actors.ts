import type { EventObject } from 'xstate';
import { callbackPlaceholder } from '../placeholder.ts';

/** What `clock` sends back, once a second while it lives: whole seconds since it started. */
export type ClockEvent = { type: 'clock.ticked'; elapsedSeconds: number };

export const clock = callbackPlaceholder<EventObject>('clock');
