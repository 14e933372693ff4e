/** Pages by offset: what the address asks for, what of that there is, and where the other pages are. */
import * as v from 'valibot';
import { TransactionsQuery } from '#contract/billing.ts';
import type { TransactionsView } from '../../../shared/route.ts';

/** Rows to leave out from the beginning, and rows to show. */
export type Paging = { offset: number; limit: number };

const { offset, limit } = TransactionsQuery.entries;
const USUAL: Paging = { offset: v.parse(offset, undefined), limit: v.parse(limit, undefined) };

/** The page that an address asks for; what it says that means nothing is as if it were left out. */
export const pagingOf = (view: TransactionsView): Paging => ({
  offset: v.is(offset, view.offset) ? v.parse(offset, view.offset) : USUAL.offset,
  limit: v.is(limit, view.limit) ? v.parse(limit, view.limit) : USUAL.limit,
});

/** Whether an address asks for a page that cannot be. */
export const isBadAddress = (view: TransactionsView): boolean => !v.is(offset, view.offset) || !v.is(limit, view.limit);

/** Only what an address tells of a page. */
export const viewOf = ({ offset: from, limit: most }: TransactionsView): TransactionsView => ({
  ...(from === undefined ? {} : { offset: from }),
  ...(most === undefined ? {} : { limit: most }),
});

/** How an address asks for a page; of what is as usual it says nothing. */
export const viewShowing = (paging: Paging): TransactionsView => ({
  ...(paging.offset === USUAL.offset ? {} : { offset: String(paging.offset) }),
  ...(paging.limit === USUAL.limit ? {} : { limit: String(paging.limit) }),
});

export const isSameView = (one: TransactionsView, other: TransactionsView): boolean =>
  one.offset === other.offset && one.limit === other.limit;

/** The pages around one; null where there is none. */
export function pagesAround({ offset: from, limit: most }: Paging, total: number) {
  const last = Math.max(0, Math.floor((total - 1) / most) * most);
  return {
    newer: from > 0 ? { offset: Math.max(0, Math.min(from, total) - most), limit: most } : null,
    older: from + most < total ? { offset: from + most, limit: most } : null,
    last: { offset: last, limit: most },
  };
}
