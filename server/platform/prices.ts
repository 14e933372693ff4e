/** The price list in the settings. `money/usage/prices.ts` computes costs from it. */

/**
 * Micro-USD per hour of audio, by `async`, `live` or a model's name (`contract/prices.ts`). If empty, nothing has a
 * price.
 */
export type Prices = ReadonlyMap<string, number>;

export const MICROS_PER_USD = 1_000_000;
/** The prices of a new database if the settings name none. */
export const DEFAULT_PRICES: Prices = new Map([
  ['async', 100_000],
  ['live', 120_000],
]);
const ENTRY = /^([a-z0-9][\w.:-]*)=(\d{1,6}(?:\.\d{1,6})?)$/i;

/**
 * Reads `async=0.10,live=0.12,some-model=0.30` (USD per hour), or `none` for no prices; undefined if invalid or a name
 * repeats.
 */
export function parsePrices(text: string): Prices | undefined {
  if (text === 'none') return new Map();
  const entries = text.split(',').flatMap((entry) => {
    const [, name = '', amount] = ENTRY.exec(entry.trim()) ?? [];
    return amount === undefined ? [] : [[name, Math.round(Number(amount) * MICROS_PER_USD)] as const];
  });
  const prices = new Map(entries);
  return prices.size === text.split(',').length ? prices : undefined;
}
