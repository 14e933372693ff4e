import { callbackPlaceholder } from '../../shared/placeholder.ts';
import type { Route } from '../../shared/route.ts';

/** A navigation within the console, before it happens. */
export type DepartureTried = { type: 'departure.tried'; from: Route; to: Route };

/** The leave guard's actor, as `navigationBlocker` uses it. */
export type Guard = {
  getSnapshot: () => { can: (event: DepartureTried) => boolean };
  send: (event: DepartureTried) => void;
};

/** Lets the last blocked navigation go on. */
export type BlockerCommand = { type: 'departure.released' };

/**
 * While it runs, the browser asks before it leaves the page, and a navigation within the console is blocked if the
 * guard accepts `departure.tried`; the address then stays.
 */
export const navigationBlocker = callbackPlaceholder<BlockerCommand, { guard: Guard }>('navigationBlocker');
