import { callbackPlaceholder } from '../../shared/placeholder.ts';
import type { Route } from '../../shared/route.ts';

/** A try to go from one screen of the console to another. */
export type DepartureTried = { type: 'departure.tried'; from: Route; to: Route };

/** What `navigationBlocker` asks: the guard's chart, which decides. */
export type Guard = {
  getSnapshot: () => { can: (event: DepartureTried) => boolean };
  send: (event: DepartureTried) => void;
};

/** Goes where the last blocked try was to lead. */
export type BlockerCommand = { type: 'departure.released' };

/**
 * As long as it runs, the browser asks before the page goes, and a try to go elsewhere in the console that the guard takes
 * is blocked: the address stays as it is.
 */
export const navigationBlocker = callbackPlaceholder<BlockerCommand, { guard: Guard }>('navigationBlocker');
