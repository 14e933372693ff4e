import type { BillingCost } from '#contract/billing.ts';

export type CostRow = BillingCost['rows'][number];

/** Orders of the cost table: by project name, as the server sends it, or by a figure, highest first. */
export const COST_ORDERS = ['project', 'cost_micros', 'requests', 'audio_ms'] as const;
export type CostOrder = (typeof COST_ORDERS)[number];

/** Sorts rows; the sort is stable. */
export const inOrder = (rows: readonly CostRow[], order: CostOrder): CostRow[] =>
  order === 'project' ? [...rows] : rows.toSorted((one, other) => other[order] - one[order]);
