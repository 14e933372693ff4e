/** Percentiles of latencies, from histograms or from the latencies themselves. */
import type { Percentiles } from '#contract/metrics.ts';
import { LATENCY_BOUNDS_MS } from '../usage/rollup.ts';

/** The count of latencies in each class. */
export type Histogram = ArrayLike<number>;

export const CLASSES = LATENCY_BOUNDS_MS.length + 1;

/** The count of all latencies. */
export function measuredIn(counts: Histogram): number {
  let total = 0;
  for (let place = 0; place < CLASSES; place += 1) total += counts[place] ?? 0;
  return total;
}

/**
 * The percentile for `share` (0 to 1), whole milliseconds; null without latencies. Interpolates within a class on a
 * logarithmic scale, so that it may be above the slowest. In the last class, which has no upper bound, returns its lower
 * bound.
 */
function percentile(counts: Histogram, measured: number, share: number): number | null {
  if (measured === 0) return null;
  const wanted = share * measured;
  let below = 0;
  for (let place = 0; place < CLASSES; place += 1) {
    const count = counts[place] ?? 0;
    if (count > 0 && below + count >= wanted) {
      const start = LATENCY_BOUNDS_MS[place - 1] ?? 0;
      const end = LATENCY_BOUNDS_MS[place] ?? start;
      const part = (wanted - below) / count;
      return Math.round(start === 0 ? end * part : start * (end / start) ** part);
    }
    below += count;
  }
  return LATENCY_BOUNDS_MS.at(-1) ?? null;
}

/** Exact percentiles: each is the least latency that its share of all does not exceed. @param latencies in any order */
export function exactPercentilesOf(latencies: readonly number[]): Percentiles {
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number): number | null => sorted[Math.ceil(share * sorted.length) - 1] ?? null;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99) };
}

export function percentilesOf(counts: Histogram): Percentiles {
  const measured = measuredIn(counts);
  return {
    p50: percentile(counts, measured, 0.5),
    p90: percentile(counts, measured, 0.9),
    p99: percentile(counts, measured, 0.99),
  };
}
