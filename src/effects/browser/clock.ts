import { type EventObject, fromCallback } from 'xstate';
import type { ClockEvent } from '#machines/playground/live/actors.ts';

/** Time and timers; the page's by default. */
export type TimeSource = {
  /** Milliseconds, monotonic. */
  now: () => number;
  setTimeout: (run: () => void, ms: number) => number;
  clearTimeout: (id: number) => void;
  /** Called when the page is shown again; returns the undo. */
  onShown: (run: () => void) => () => void;
};

const page: TimeSource = {
  now: () => performance.now(),
  setTimeout: (run, ms) => window.setTimeout(run, ms),
  clearTimeout: (id) => window.clearTimeout(id),
  onShown: (run) => {
    document.addEventListener('visibilitychange', run);
    return () => document.removeEventListener('visibilitychange', run);
  },
};

/**
 * The `clock` actor: reports whole seconds since it started (LIV-20). Reads a monotonic clock at every tick, because
 * browsers delay timers of hidden tabs; a tab shown again ticks at once.
 */
export const createClock = (time: TimeSource = page) =>
  fromCallback<EventObject, void>(({ sendBack }) => {
    const startedAt = time.now();
    let reported = 0;
    let timer = 0;
    const tick = () => {
      // Rounded, because a timer may come a fraction of a millisecond early.
      const elapsedMs = Math.round(time.now() - startedAt);
      const elapsedSeconds = Math.floor(elapsedMs / 1000);
      if (elapsedSeconds > reported) {
        reported = elapsedSeconds;
        const event: ClockEvent = { type: 'clock.ticked', elapsedSeconds };
        sendBack(event);
      }
      time.clearTimeout(timer);
      timer = time.setTimeout(tick, 1000 - (elapsedMs % 1000));
    };
    tick();
    const forget = time.onShown(tick);
    return () => {
      forget();
      time.clearTimeout(timer);
    };
  });
