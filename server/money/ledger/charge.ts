import { sql, type Transaction } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { lockAccount } from './accounts.ts';
import { scheduleAutopay } from './schedule.ts';

/** The cost of an organization's requests of a day. */
interface Usage {
  organizationId: string;
  /** The day on which they ended (UTC). */
  day: string;
  /** Negative if a cost is corrected downwards. */
  micros: number;
  /** When the last of them ended. */
  at: Date;
}

const DAY_MS = 86_400_000;

/** The day (UTC) of a moment, such as 2026-11-29. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** Cost of an organization's usage on the day of `now` and the day before, posted or not, micro-USD. */
export async function chargedLately(db: Db, organizationId: string, now: Date): Promise<number> {
  const { micros } = await db
    .selectFrom('usage_days')
    .select((eb) => eb.fn.sum(eb('cost_micros', '+', eb.ref('earlier_micros'))).as('micros'))
    .where('organization_id', '=', organizationId)
    .where('day', '>=', dayOf(new Date(now.getTime() - DAY_MS)))
    .executeTakeFirstOrThrow();
  return Number(micros ?? 0);
}

/**
 * Adds the cost of requests to their day, in the transaction that writes their rows. Reopens a day that is posted. Call
 * it as late in the transaction as possible, because it locks the account; for several organizations, in the order of
 * their ids.
 */
export async function chargeUsage(trx: Transaction<Schema>, { organizationId, day, micros, at }: Usage): Promise<void> {
  if (micros === 0 || (await lockAccount(trx, organizationId)) === undefined) return;
  await trx
    .insertInto('usage_days')
    .values({ organization_id: organizationId, day, cost_micros: micros })
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'day']).doUpdateSet({
        part: sql<number>`usage_days.part + usage_days.posted::int`,
        earlier_micros: sql<number>`usage_days.earlier_micros + case when usage_days.posted then usage_days.cost_micros else 0 end`,
        cost_micros: sql<number>`excluded.cost_micros + case when usage_days.posted then 0 else usage_days.cost_micros end`,
        posted: false,
        posted_at: null,
      }),
    )
    .execute();
  await scheduleAutopay(trx, organizationId, at);
}
