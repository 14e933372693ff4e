import { sql, type Transaction } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { daysAfter } from '#contract/usage.ts';
import { lockAccount } from './accounts.ts';
import { armAutopay } from './arm.ts';

/** What a request cost, as it ends. */
interface Usage {
  organizationId: string;
  /** Below zero where a cost is put right. */
  micros: number;
  /** When it ended. */
  at: Date;
}

/** The day of UTC of a moment. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/**
 * Puts what a request cost on a day that is not posted yet, in the transaction that writes the request's row; call it as late in it as
 * can be, since it holds the account. With several organizations in one transaction, call it in the order of their ids.
 * @returns the billing day, UTC: the day of `at`, or the next that is open
 */
export async function chargeUsage(trx: Transaction<Schema>, { organizationId, micros, at }: Usage): Promise<string> {
  if (micros === 0 || (await lockAccount(trx, organizationId)) === undefined) return dayOf(at);
  const day = await openDay(trx, organizationId, dayOf(at));
  await trx
    .insertInto('usage_days')
    .values({ organization_id: organizationId, day, cost_micros: micros })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'day'])
        .doUpdateSet({ cost_micros: sql<number>`usage_days.cost_micros + excluded.cost_micros` }),
    )
    .execute();
  await armAutopay(trx, organizationId, at);
  return day;
}

/** A month and the one before: what comes late comes within them. */
const LATE_DAYS = 62;

/**
 * The first day from this one on after which none is posted. Days far ahead don't count: they were posted under a clock that was wrong, and
 * what is used until then would not be posted before that day. Posting holds the account, too.
 */
async function openDay(trx: Db, organizationId: string, day: string): Promise<string> {
  const row = await trx
    .selectFrom('usage_days')
    .select(sql<string>`max(day)::text`.as('last'))
    .where('organization_id', '=', organizationId)
    .where('posted', '=', true)
    .where('day', '>=', day)
    .where('day', '<=', daysAfter(day, LATE_DAYS))
    .executeTakeFirstOrThrow();
  return (row.last as string | null) === null ? day : daysAfter(row.last, 1);
}
