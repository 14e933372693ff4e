import type { EventObject } from 'xstate';
import { callbackPlaceholder } from './placeholder.ts';

/** As long as it runs, the browser asks before the page is closed, reloaded or left. Receives and sends nothing. */
export const leaveGuard = callbackPlaceholder<EventObject, void>('leaveGuard');
