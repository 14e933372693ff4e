/** Calculates the cost of requests: once, when each ends. Later prices do not change it. */
import { costOfAudio, type Priced } from '#contract/prices.ts';
import { modelBehind } from '../../platform/model-names.ts';
import { MICROS_PER_USD, type Prices } from '../../platform/prices.ts';

/** `model` is the id that the client sent, perhaps an alias. */
type Metered = Omit<Priced, 'behind'> & { status: 'completed' | 'failed' | 'cancelled' | 'aborted' };

/**
 * The cost of a request in micro-USD; null without a price. A file without a transcript costs 0. A live session costs
 * the audio that was heard, however it ended, because its words were sent as they came.
 */
export function costOf(prices: Prices, { status, ...priced }: Metered): number | null {
  const cost = costOfAudio(prices, { ...priced, behind: modelBehind(priced.model) });
  return cost !== null && priced.kind === 'async' && status !== 'completed' ? 0 : cost;
}

/** Micro-USD as a decimal text, exactly: 1500000 → '1.5', -1500000 → '-1.5'. */
export function toUsd(micros: number): string {
  const size = Math.abs(micros);
  const fraction = String(size % MICROS_PER_USD)
    .padStart(6, '0')
    .replace(/0+$/, '');
  return `${micros < 0 ? '-' : ''}${Math.floor(size / MICROS_PER_USD)}${fraction && `.${fraction}`}`;
}

/** The cost of this much live audio in US dollars, as decimal text; null without a price. */
export function liveCostUsd(prices: Prices, model: string, audioMs: number): string | null {
  const micros = costOf(prices, { kind: 'real_time', model, status: 'completed', audioMs });
  return micros === null ? null : toUsd(micros);
}
