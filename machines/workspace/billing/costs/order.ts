/** In which order the rows of the cost table stand. */
import type { BillingCost } from '#contract/billing.ts';

export type CostRow = BillingCost['rows'][number];

/** By the names of the projects, as the server has them, or by a figure, the highest first. */
export const COST_ORDERS = ['project', 'cost_micros', 'requests', 'audio_ms'] as const;
export type CostOrder = (typeof COST_ORDERS)[number];

/** Rows alike in the figure stay as they were. */
export const inOrder = (rows: readonly CostRow[], order: CostOrder): CostRow[] =>
  order === 'project' ? [...rows] : rows.toSorted((one, other) => other[order] - one[order]);
