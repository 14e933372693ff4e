/** Latencies out of the classes that they are counted in. */
import type { Percentiles } from '#contract/metrics.ts';
import { LATENCY_BOUNDS_MS } from '../usage/rollup.ts';

/** How many latencies there are in each class. */
export type Histogram = readonly number[];

export const merged = (one: Histogram, other: Histogram): Histogram =>
  one.map((count, place) => count + (other[place] ?? 0));

export const measuredIn = (counts: Histogram): number => counts.reduce((total, count) => total + count, 0);

/**
 * The latency that a share of all is at most, whole milliseconds: a class is taken as filled evenly by the logarithm, as
 * latencies are. Of the last class, which has no end, its beginning is told. Null for none.
 */
function percentile(counts: Histogram, share: number): number | null {
  const measured = measuredIn(counts);
  if (measured === 0) return null;
  const wanted = share * measured;
  let below = 0;
  for (const [place, count] of counts.entries()) {
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

export const percentilesOf = (counts: Histogram): Percentiles => ({
  p50: percentile(counts, 0.5),
  p90: percentile(counts, 0.9),
  p99: percentile(counts, 0.99),
});
