import type { EventObject } from 'xstate';
import { callbackPlaceholder } from '../placeholder.ts';

/** As long as it runs, the page is not left: the browser asks, and ways within the console send `dismiss.requested` instead. */
export const stayGuard = callbackPlaceholder<EventObject, void>('stayGuard');
