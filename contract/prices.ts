/** What audio costs, for the server that charges it and for the page that tells it beforehand. */
import * as v from 'valibot';

/** Micro-USD per hour of audio, by `async`, `live` or the id of a model, which goes before its service. Empty: nothing has a price. */
export const PriceList = v.record(v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(0)));
export type PriceList = Readonly<v.InferOutput<typeof PriceList>>;

const MS_PER_HOUR = 3_600_000;

/** What is transcribed; `model` is the id that was asked for: an alias stays an alias. */
export type Priced = { kind: 'async' | 'real_time'; model: string; audioMs: number };

/** The cost in micro-USD of that much audio; null where it has no price. */
export function costOfAudio(prices: ReadonlyMap<string, number>, { kind, model, audioMs }: Priced): number | null {
  const perHour = prices.get(model) ?? prices.get(kind === 'async' ? 'async' : 'live');
  return perHour === undefined ? null : Math.round((audioMs * perHour) / MS_PER_HOUR);
}
