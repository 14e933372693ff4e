/** What audio costs, for the server that charges it and for the page that tells it beforehand. */

const MS_PER_HOUR = 3_600_000;

/** What is transcribed: `model` is the id that was asked for, `behind` that of the model that it stands for (itself, if no alias). */
export type Priced = { kind: 'async' | 'real_time'; model: string; behind: string; audioMs: number };

/** The cost in micro-USD: by the price of the name that was asked for, else of the model behind it, else of the service; null without. */
export function costOfAudio(
  prices: ReadonlyMap<string, number>,
  { kind, model, behind, audioMs }: Priced,
): number | null {
  const perHour = prices.get(model) ?? prices.get(behind) ?? prices.get(kind === 'async' ? 'async' : 'live');
  return perHour === undefined ? null : Math.round((audioMs * perHour) / MS_PER_HOUR);
}
