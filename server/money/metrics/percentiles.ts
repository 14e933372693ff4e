/** Latencies out of the classes that they are counted in. */
import type { Percentiles } from '#contract/metrics.ts';
import { LATENCY_BOUNDS_MS } from '../usage/rollup.ts';

/** How many latencies there are in each class. */
export type Histogram = ArrayLike<number>;

export const CLASSES = LATENCY_BOUNDS_MS.length + 1;

export function measuredIn(counts: Histogram): number {
  let total = 0;
  for (let place = 0; place < CLASSES; place += 1) total += counts[place] ?? 0;
  return total;
}

/**
 * The latency that a share of all is at most, whole milliseconds: a class is taken as filled evenly by the logarithm, as
 * latencies are. Of the last class, which has no end, its beginning is told. Null for none.
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

export function percentilesOf(counts: Histogram): Percentiles {
  const measured = measuredIn(counts);
  return {
    p50: percentile(counts, measured, 0.5),
    p90: percentile(counts, measured, 0.9),
    p99: percentile(counts, measured, 0.99),
  };
}
