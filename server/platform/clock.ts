/** A source of time that tests can replace. */
export interface Clock {
  /** Monotonic time in milliseconds. */
  now(): number;
  /** Runs once after `ms`, unless the returned function is called before. */
  after(ms: number, run: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
