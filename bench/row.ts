/** One measured figure; `ok` compares it with its budget, where it has one. */
export type Row = { name: string; value: number; unit: string; budget?: string; ok: boolean };

/** A figure that must not exceed its budget. */
export const atMost = (name: string, value: number, unit: string, budget: number): Row => ({
  name,
  value,
  unit,
  budget: `≤ ${budget}`,
  ok: value <= budget,
});

/** A figure that must not fall below its budget. */
export const atLeast = (name: string, value: number, unit: string, budget: number): Row => ({
  name,
  value,
  unit,
  budget: `≥ ${budget}`,
  ok: value >= budget,
});

/** A figure without a budget. */
export const figure = (name: string, value: number, unit: string): Row => ({ name, value, unit, ok: true });

/** The value below which the given share (0..1) of the samples lies; NaN for none. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
