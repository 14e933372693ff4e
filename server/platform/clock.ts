/** Time as it passes, so that tests can hold it still. */
export interface Clock {
  /** Milliseconds that only grow, whatever the machine's clock is set to. */
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
