/** What audio costs. A request's cost is calculated once, when it ends: later prices change nothing that was used before. */
import { MICROS_PER_USD, type Prices } from '../../platform/prices.ts';

const MS_PER_HOUR = 3_600_000;

interface Metered {
  kind: 'async' | 'real_time';
  /** As asked for: an alias stays an alias. */
  model: string;
  status: 'completed' | 'failed' | 'cancelled' | 'aborted';
  audioMs: number;
}

/**
 * The cost of a request in micro-USD; null where it has no price. A file without a transcript costs nothing; a live
 * session costs what was heard of it, for its words were sent as they came.
 */
export function costOf(prices: Prices, { kind, model, status, audioMs }: Metered): number | null {
  const perHour = prices.get(model) ?? prices.get(kind === 'async' ? 'async' : 'live');
  if (perHour === undefined) return null;
  return kind === 'async' && status !== 'completed' ? 0 : Math.round((audioMs * perHour) / MS_PER_HOUR);
}

/** Micro-USD as a decimal text, exactly: 1500000 → '1.5'. */
export function toUsd(micros: number): string {
  const fraction = String(micros % MICROS_PER_USD)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${Math.floor(micros / MICROS_PER_USD)}${fraction && `.${fraction}`}`;
}

/** What so much of a live session costs, as a decimal text in US dollars; null where it has no price. */
export function liveCostUsd(prices: Prices, model: string, audioMs: number): string | null {
  const micros = costOf(prices, { kind: 'real_time', model, status: 'completed', audioMs });
  return micros === null ? null : toUsd(micros);
}
