/** What audio costs, for the server that charges it and for the page that tells it beforehand. */

const MS_PER_HOUR = 3_600_000;

/** What is transcribed; `model` is the id that was asked for: an alias stays an alias. */
export type Priced = { kind: 'async' | 'real_time'; model: string; audioMs: number };

/** The cost in micro-USD of that much audio; null where it has no price. */
export function costOfAudio(prices: ReadonlyMap<string, number>, { kind, model, audioMs }: Priced): number | null {
  const perHour = prices.get(model) ?? prices.get(kind === 'async' ? 'async' : 'live');
  return perHour === undefined ? null : Math.round((audioMs * perHour) / MS_PER_HOUR);
}
