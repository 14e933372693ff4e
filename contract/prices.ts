/** The cost of audio, for the server that charges it and the page that shows it beforehand. */

const MS_PER_HOUR = 3_600_000;

/** Audio to price. `model` is the requested id; `behind` is the model it stands for, or the same id if no alias. */
export type Priced = { kind: 'async' | 'real_time'; model: string; behind: string; audioMs: number };

/** Micro-USD per hour of audio: the price of the requested id, else of the model behind it, else of the service. */
export const pricePerHour = (
  prices: ReadonlyMap<string, number>,
  { kind, model, behind }: Omit<Priced, 'audioMs'>,
): number | undefined => prices.get(model) ?? prices.get(behind) ?? prices.get(kind === 'async' ? 'async' : 'live');

/** The cost in micro-USD; null without a price. */
export function costOfAudio(prices: ReadonlyMap<string, number>, { audioMs, ...priced }: Priced): number | null {
  const perHour = pricePerHour(prices, priced);
  return perHour === undefined ? null : Math.round((audioMs * perHour) / MS_PER_HOUR);
}
