import { pagingOf } from './paging.ts';
import type { TransactionsView } from '../../../shared/route.ts';

/** What usage that is not posted yet changes, and the balance after it. */
export type UnpostedRow = { amount_micros: number; balance_after_micros: number };

type Known = { unpostedMicros: number; balanceMicros: number; view: TransactionsView };

/** The row above the newest transaction: on the first page of usage, or of all kinds; none without such usage. */
export function unpostedIn({ unpostedMicros, balanceMicros, view }: Known): readonly UnpostedRow[] {
  const { kind, offset } = pagingOf(view);
  if (unpostedMicros === 0 || offset > 0 || (kind !== undefined && kind !== 'usage')) return [];
  return [{ amount_micros: -unpostedMicros, balance_after_micros: balanceMicros }];
}
