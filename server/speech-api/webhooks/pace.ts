/** Waits after the first try; each is six times as long as the one before, up to the longest. */
const FIRST_MS = 10_000;
const FACTOR = 6;
const LONGEST_MS = 8 * 3600_000;
/** As much more at most, so that servers which were down together are not asked together again. */
const JITTER = 0.25;

/** The wait after so many tries: 10 s, 1 min, 6 min, 36 min, 3.6 h, 8 h and 8 h, and up to a quarter more; about a day together. */
export const webhookBackoff = (tries: number, random: () => number = Math.random): number =>
  Math.min(LONGEST_MS, FIRST_MS * FACTOR ** (tries - 1)) * (1 + JITTER * random());
