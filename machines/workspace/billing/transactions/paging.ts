// Pages by offset, of one kind or all: reads and writes them in the address, and finds the pages around one.
import * as v from 'valibot';
import { TransactionKind, TransactionsQuery } from '#contract/transactions.ts';
import type { TransactionsView } from '../../../shared/route.ts';

/** Rows to skip, and rows to show, of a kind; without one of all. */
export type Paging = { kind?: TransactionKind; offset: number; limit: number };

const { offset, limit } = TransactionsQuery.entries;
const DEFAULTS: Paging = { offset: v.parse(offset, undefined), limit: v.parse(limit, undefined) };

const isKind = ({ kind }: TransactionsView): boolean => v.is(v.optional(TransactionKind), kind);
const isPage = (view: TransactionsView): boolean => v.is(offset, view.offset) && v.is(limit, view.limit);

/** The page in an address; an invalid kind counts as left out, and an invalid page as the first. */
export const pagingOf = (view: TransactionsView): Paging => ({
  ...(v.is(TransactionKind, view.kind) && { kind: view.kind }),
  ...(isPage(view) ? { offset: v.parse(offset, view.offset), limit: v.parse(limit, view.limit) } : DEFAULTS),
});

export type BadPart = 'kind' | 'page';

/** What an address asks for that cannot be shown. */
export const badIn = (view: TransactionsView): readonly BadPart[] => [
  ...(isKind(view) ? [] : (['kind'] as const)),
  ...(isPage(view) ? [] : (['page'] as const)),
];

/** The parameters of a page in an address. */
export const viewOf = ({ kind, offset: from, limit: most }: TransactionsView): TransactionsView => ({
  ...(kind === undefined ? {} : { kind }),
  ...(from === undefined ? {} : { offset: from }),
  ...(most === undefined ? {} : { limit: most }),
});

/** The address parameters for a page, without defaults. */
export const viewShowing = (paging: Paging): TransactionsView => ({
  ...(paging.kind === undefined ? {} : { kind: paging.kind }),
  ...(paging.offset === DEFAULTS.offset ? {} : { offset: String(paging.offset) }),
  ...(paging.limit === DEFAULTS.limit ? {} : { limit: String(paging.limit) }),
});

/** The address parameters for the first page of a kind; null for all kinds. */
export function viewOfKind(view: TransactionsView, kind: TransactionKind | null): TransactionsView {
  const { limit: most } = pagingOf(view);
  return viewShowing({ ...(kind !== null && { kind }), offset: DEFAULTS.offset, limit: most });
}

export const isSameView = (one: TransactionsView, other: TransactionsView): boolean =>
  one.kind === other.kind && one.offset === other.offset && one.limit === other.limit;

/** The pages before and after one, if any, and the last. */
export function pagesAround(paging: Paging, total: number) {
  const { offset: from, limit: most } = paging;
  const at = (place: number): Paging => ({ ...paging, offset: place });
  return {
    newer: from > 0 ? at(Math.max(0, Math.min(from, total) - most)) : null,
    older: from + most < total ? at(from + most) : null,
    last: at(Math.max(0, Math.floor((total - 1) / most) * most)),
  };
}
