import { type AnyActorRef, toObserver } from 'xstate';

/** Timers and visibility; the page's by default. */
export type Timekeeper = {
  setInterval: (run: () => void, ms: number) => number;
  clearInterval: (id: number) => void;
  /** Called when the page is shown again; returns the undo. */
  onShown: (run: () => void) => () => void;
};

/** Milliseconds. A text in whole minutes is off by at most half a minute. */
export const TICK_MS = 30_000;

const page: Timekeeper = {
  setInterval: (run, ms) => window.setInterval(run, ms),
  clearInterval: (id) => window.clearInterval(id),
  onShown: (run) => {
    document.addEventListener('visibilitychange', run);
    return () => document.removeEventListener('visibilitychange', run);
  },
};

/**
 * One timer for all relative times on the page, running only while there are any. Browsers delay timers of hidden
 * pages, so a page shown again ticks at once. Read it like an actor: `useSelector(passingTime, () => …)`.
 */
export function createPassingTime(keeper: Timekeeper = page): Pick<AnyActorRef, 'subscribe' | 'getSnapshot'> {
  let snapshot = { ticks: 0 };
  const listeners = new Set<(next: typeof snapshot) => void>();
  let stop: (() => void) | null = null;
  const tick = () => {
    snapshot = { ticks: snapshot.ticks + 1 };
    for (const listener of listeners) listener(snapshot);
  };
  const start = () => {
    const id = keeper.setInterval(tick, TICK_MS);
    const forget = keeper.onShown(tick);
    return () => {
      keeper.clearInterval(id);
      forget();
    };
  };
  return {
    getSnapshot: () => snapshot,
    subscribe: (...given: Parameters<typeof toObserver>) => {
      const listener = (next: typeof snapshot) => toObserver(...given).next?.(next);
      listeners.add(listener);
      stop ??= start();
      return {
        unsubscribe: () => {
          listeners.delete(listener);
          if (listeners.size > 0) return;
          stop?.();
          stop = null;
        },
      };
    },
  };
}
