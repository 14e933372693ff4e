import { pagingOf } from './paging.ts';
import type { TransactionsContext } from './machine.ts';

/** What usage that is not posted yet changes, and the balance after it. */
export type UnpostedRow = { amount_micros: number; balance_after_micros: number };

/** The row above the newest transaction; none without such usage, and on other pages than the first. */
export const unpostedIn = ({ rows, unpostedMicros, view }: TransactionsContext): readonly UnpostedRow[] => {
  const newest = rows[0];
  if (newest === undefined || unpostedMicros === 0 || pagingOf(view).offset > 0) return [];
  return [{ amount_micros: -unpostedMicros, balance_after_micros: newest.balance_after_micros - unpostedMicros }];
};
