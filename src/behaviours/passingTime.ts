/** What time is kept by; the page by default. */
export type Timekeeper = {
  setInterval: (run: () => void, ms: number) => number;
  clearInterval: (id: number) => void;
  /** Called when the page is shown again; returns the undo. */
  onShown: (run: () => void) => () => void;
};

/** Milliseconds; a text in whole minutes is then never wrong by more than half of one. */
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
 * One timer for all texts that age on the page, running only while there are any. Browsers hold timers of hidden pages
 * back, so a page that is shown again ticks at once.
 */
export function createPassingTime(keeper: Timekeeper = page) {
  const listeners = new Set<() => void>();
  let stop: (() => void) | null = null;
  const tick = () => {
    for (const listener of listeners) listener();
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
    /** Fit for `useSyncExternalStore`. */
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      stop ??= start();
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stop?.();
        stop = null;
      };
    },
  };
}
