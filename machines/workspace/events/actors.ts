import type { ConsoleEvent } from '#contract/events.ts';
import { callbackPlaceholder } from '../../shared/placeholder.ts';

export type PageEvent =
  /** The page is visible and online. */
  | { type: 'page.present' }
  | { type: 'page.absent' }
  | { type: 'page.focused' }
  /** A call answered 404. */
  | { type: 'place.missed' };
/** Reports whether the page is visible and online, at its start and at every change. */
export const pagePresence = callbackPlaceholder('pagePresence');

export type StreamEvent =
  | { type: 'stream.opened' }
  | { type: 'stream.received'; event: ConsoleEvent }
  /** The server ended it, as when its access token expired. */
  | { type: 'stream.ended' }
  /** It could not be opened, or it broke. */
  | { type: 'stream.failed' };
/** GET /events/, while the actor runs. */
export const eventStream = callbackPlaceholder('eventStream');
