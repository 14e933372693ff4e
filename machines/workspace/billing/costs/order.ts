import type { BillingCost } from '#contract/billing.ts';
import { reordered, type Order } from '../../usage/order.ts';

export type CostRow = BillingCost['rows'][number];

/** The columns by which the cost table can be sorted. */
export const COST_COLUMNS = ['project', 'kind', 'model', 'requests', 'audio_ms', 'cost_micros'] as const;
export type CostColumn = (typeof COST_COLUMNS)[number];
export type CostOrder = Order<CostColumn>;

/** The order in which the server sends the rows. */
export const BY_PROJECT: CostOrder = { column: 'project', direction: 'ascending' };

/** Whether a column has names, not figures. */
export const isName = (column: CostColumn): boolean => column === 'project' || column === 'kind' || column === 'model';

/** The order after a column was chosen: names from A and figures from the highest; the other way round if chosen again. */
export const ordered = (order: CostOrder, chosen: CostColumn): CostOrder =>
  reordered(order, chosen, isName(chosen) ? 'ascending' : 'descending');

function compared(first: string | number, second: string | number): number {
  if (typeof first === 'number' && typeof second === 'number') return first - second;
  return String(first).localeCompare(String(second), 'en');
}

/** Sorts rows; equal ones stay in the order of the server, by project. */
export function inOrder(rows: readonly CostRow[], { column, direction }: CostOrder): CostRow[] {
  const places = new Map(rows.map(({ project_uuid }, place) => [project_uuid, place]));
  const valueOf = (row: CostRow) => (column === 'project' ? (places.get(row.project_uuid) ?? 0) : row[column]);
  const sign = direction === 'ascending' ? 1 : -1;
  return rows.toSorted((one, other) => sign * compared(valueOf(one), valueOf(other)));
}
