import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Services } from '../../platform/context.ts';
import { repeat } from '../../platform/repeat.ts';
import { postEntry, lockAccount } from './accounts.ts';
import { dayOf } from './charge.ts';

const HOUR_MS = 3_600_000;

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
/** The description of a day's usage: 'Usage on Nov 24, 2026 (UTC)'. */
export const usageText = (day: string, isLate: boolean): string =>
  `Usage on ${DAY.format(new Date(day))} (UTC)${isLate ? ', counted later' : ''}`;

/** The cause of an entry of usage. A day has several parts if it was reopened after posting. */
export const usageCause = (organizationId: string, day: string, part = 0): string =>
  `usage:${organizationId}:${day}${part === 0 ? '' : `:${part}`}`;

/**
 * Posts each day (UTC) that is over, and usage that was added to a posted day. Posts each part once, even if several
 * processes call this.
 */
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

/** Posts all days of an organization, including the current one, before it is deleted. Requires the account's lock. */
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

/** Posts a day's unposted usage as one entry. Requires the account's lock. */
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

/** Posts days that are over, at the start and every hour, until the server closes. */
export function keepPosting(services: Services): Promise<void> {
  const { db, clock } = services;
  return repeat(services, { name: 'posting of usage', everyMs: HOUR_MS, run: () => postDays(db, clock()) })();
}
