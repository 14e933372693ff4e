/** What audio costs. A request's cost is reckoned once, when it ends: later prices change nothing that was used before. */

/** Micro-USD per hour of audio, by `async`, `live` or the id of a model, which goes before its service. Empty: nothing has a price. */
export type Prices = ReadonlyMap<string, number>;

const MICROS_PER_USD = 1_000_000;
const MS_PER_HOUR = 3_600_000;
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

interface Metered {
  kind: 'async' | 'real_time';
  /** As asked for: an alias stays an alias. */
  model: string;
  status: 'completed' | 'failed' | 'aborted';
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
  const fraction = String(micros % MICROS_PER_USD).padStart(6, '0').replace(/0+$/, '');
  return `${Math.floor(micros / MICROS_PER_USD)}${fraction && `.${fraction}`}`;
}
