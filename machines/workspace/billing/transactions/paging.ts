// Pages by offset: reads and writes them in the address, and finds the pages around one.
import * as v from 'valibot';
import { TransactionsQuery } from '#contract/billing.ts';
import type { TransactionsView } from '../../../shared/route.ts';

/** Rows to skip, and rows to show. */
export type Paging = { offset: number; limit: number };

const { offset, limit } = TransactionsQuery.entries;
const DEFAULTS: Paging = { offset: v.parse(offset, undefined), limit: v.parse(limit, undefined) };

/** The page in an address; invalid parameters count as left out. */
export const pagingOf = (view: TransactionsView): Paging => ({
  offset: v.is(offset, view.offset) ? v.parse(offset, view.offset) : DEFAULTS.offset,
  limit: v.is(limit, view.limit) ? v.parse(limit, view.limit) : DEFAULTS.limit,
});

/** Whether an address has an invalid page. */
export const isBadAddress = (view: TransactionsView): boolean => !v.is(offset, view.offset) || !v.is(limit, view.limit);

/** The parameters of a page in an address. */
export const viewOf = ({ offset: from, limit: most }: TransactionsView): TransactionsView => ({
  ...(from === undefined ? {} : { offset: from }),
  ...(most === undefined ? {} : { limit: most }),
});

/** The address parameters for a page, without defaults. */
export const viewShowing = (paging: Paging): TransactionsView => ({
  ...(paging.offset === DEFAULTS.offset ? {} : { offset: String(paging.offset) }),
  ...(paging.limit === DEFAULTS.limit ? {} : { limit: String(paging.limit) }),
});

export const isSameView = (one: TransactionsView, other: TransactionsView): boolean =>
  one.offset === other.offset && one.limit === other.limit;

/** The pages before and after one, if any, and the last. */
export function pagesAround({ offset: from, limit: most }: Paging, total: number) {
  const last = Math.max(0, Math.floor((total - 1) / most) * most);
  return {
    newer: from > 0 ? { offset: Math.max(0, Math.min(from, total) - most), limit: most } : null,
    older: from + most < total ? { offset: from + most, limit: most } : null,
    last: { offset: last, limit: most },
  };
}
