import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Services } from '../../platform/context.ts';
import { repeat } from '../../platform/repeat.ts';
import { postEntry, lockAccount } from './accounts.ts';
import { dayOf } from './charge.ts';

const HOUR_MS = 3_600_000;

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
/** What the usage of a day is called: 'Usage on Nov 24, 2026 (UTC)'. */
export const usageText = (day: string, isLate: boolean): string =>
  `Usage on ${DAY.format(new Date(day))} (UTC)${isLate ? ', counted later' : ''}`;

/** The cause of a part of a day; the first has the name of the day. */
export const usageCause = (organizationId: string, day: string, part = 0): string =>
  `usage:${organizationId}:${day}${part === 0 ? '' : `:${part}`}`;

/** Posts every day that is over, UTC, and what was counted of one since: each once, however often and by however many processes this is called. */
export async function postDays(db: Db, now: Date): Promise<void> {
  const days = await db
    .selectFrom('usage_days')
    .select(['organization_id', sql<string>`day::text`.as('day')])
    .where('posted', '=', false)
    .where('day', '<', dayOf(now))
    .orderBy('usage_days.day')
    .orderBy('organization_id')
    .execute();
  for (const { organization_id, day } of days) await postDay(db, organization_id, day, now);
}

async function postDay(db: Db, organizationId: string, day: string, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if ((await lockAccount(trx, organizationId)) === undefined) return;
    await post(trx, organizationId, day, now);
  });
}

/** Posts every day of an organization, also those that are not over: nothing more will be used. The account is locked. */
export async function postAllDays(trx: Db, organizationId: string, now: Date): Promise<void> {
  const days = await trx
    .selectFrom('usage_days')
    .select(sql<string>`day::text`.as('day'))
    .where('organization_id', '=', organizationId)
    .where('posted', '=', false)
    .orderBy('usage_days.day')
    .execute();
  for (const { day } of days) await post(trx, organizationId, day, now);
}

/** What was used on a day leaves the balance, as one entry; what is left does not change. The account is locked. */
async function post(trx: Db, organizationId: string, day: string, now: Date): Promise<void> {
  const closed = await trx
    .updateTable('usage_days')
    .set({ posted: true, posted_at: now })
    .where('organization_id', '=', organizationId)
    .where('day', '=', day)
    .where('posted', '=', false)
    .returning(['cost_micros', 'part'])
    .executeTakeFirst();
  if (closed === undefined || closed.cost_micros === 0) return;

  await postEntry(trx, {
    organizationId,
    kind: 'usage',
    micros: -closed.cost_micros,
    cause: usageCause(organizationId, day, closed.part),
    description: usageText(day, closed.part > 0),
    day,
    at: now,
  });
}

/** Posts what is over at the start and every hour, until the server closes. */
export function keepPosting(services: Services): Promise<void> {
  const { db, clock } = services;
  return repeat(services, { name: 'posting of usage', everyMs: HOUR_MS, run: () => postDays(db, clock()) })();
}
