/** The wait after the first try. Each is `FACTOR` times the one before, at most `LONGEST_MS`. */
const FIRST_MS = 10_000;
const FACTOR = 6;
const LONGEST_MS = 8 * 3600_000;
/** Up to this share of the wait is added at random, so that servers that failed together are not called together again. */
const JITTER = 0.25;

/** The wait after so many tries, ms: 10 s, 1 min, 6 min, 36 min, 3.6 h, then 8 h each; every one plus up to a quarter. */
export const webhookBackoff = (tries: number, random: () => number = Math.random): number =>
  Math.min(LONGEST_MS, FIRST_MS * FACTOR ** (tries - 1)) * (1 + JITTER * random());
