/** The price list, as the settings give it. What a request costs by it is told by `money/usage/prices.ts`. */

/** Micro-USD per hour of audio, by `async`, `live` or the name of a model (`contract/prices.ts`). Empty: nothing has a price. */
export type Prices = ReadonlyMap<string, number>;

export const MICROS_PER_USD = 1_000_000;
/** What a database begins with that has no prices, where the settings name none. */
export const DEFAULT_PRICES: Prices = new Map([
  ['async', 100_000],
  ['live', 120_000],
]);
const ENTRY = /^([a-z0-9][\w.:-]*)=(\d{1,6}(?:\.\d{1,6})?)$/i;

/** Reads `async=0.10,live=0.12,some-model=0.30` (USD per hour); `none` is no price at all. Undefined for anything else, also where a name stands twice. */
export function parsePrices(text: string): Prices | undefined {
  if (text === 'none') return new Map();
  const entries = text.split(',').flatMap((entry) => {
    const [, name = '', amount] = ENTRY.exec(entry.trim()) ?? [];
    return amount === undefined ? [] : [[name, Math.round(Number(amount) * MICROS_PER_USD)] as const];
  });
  const prices = new Map(entries);
  return prices.size === text.split(',').length ? prices : undefined;
}
