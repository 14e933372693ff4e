import type { ConsoleEvent } from '#contract/events.ts';
import { callbackPlaceholder } from '../../shared/placeholder.ts';

export type PageEvent =
  /** The page shows, and the browser is not offline. */
  | { type: 'page.present' }
  | { type: 'page.absent' }
  | { type: 'page.focused' }
  /** A call was told that there is no such organization, project or thing. */
  | { type: 'place.missed' };
/** Tells whether somebody may be looking: `page.present` or `page.absent` at once, and on every change. */
export const pagePresence = callbackPlaceholder('pagePresence');

export type StreamEvent =
  | { type: 'stream.opened' }
  | { type: 'stream.received'; event: ConsoleEvent }
  /** By the server, as with its access token. */
  | { type: 'stream.ended' }
  /** It could not be opened, or broke. */
  | { type: 'stream.failed' };
/** GET /events/, for as long as the actor lives. */
export const eventStream = callbackPlaceholder('eventStream');
