import { sql, type Transaction } from 'kysely';
import { expect } from 'vitest';
import { proveLedger } from '#server/money/ledger/prove.ts';
import { compareAll } from '#server/money/usage/rebuild.ts';
import { addUsage, usageRow } from '#server/money/usage/rows.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { ended } from '../../usage.ts';
import { unguarded } from '../books.ts';

/** Writes down a request of a user's project that has ended, and charges it: both or neither. Gives its billing day. */
export const useUp = (db: Db, user: { projectId: string }, micros: number, at: Date): Promise<string> =>
  db.transaction().execute((trx) => endRequest(trx, user, micros, at));

/** The same as part of a transaction. */
export async function endRequest(
  trx: Transaction<Schema>,
  { projectId }: { projectId: string },
  micros: number,
  at: Date,
): Promise<string> {
  const end = ended({ project_id: projectId, ended_at: at, cost_micros: micros });
  await addUsage(trx, [end]);
  const { billing_day } = await usageRow(trx, end.id).select('usage_rows.billing_day').executeTakeFirstOrThrow();
  return billing_day;
}

/** All pages of a list, from the first to the last. */
export async function everyPage<P extends { next_page_cursor: string | null }>(
  read: (cursor: string) => Promise<P>,
): Promise<P[]> {
  const pages: P[] = [];
  for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.next_page_cursor ?? null)
    pages.push(await read(cursor));
  return pages;
}

/** The books are right, and the rollups match their rows. */
export async function expectRight(db: Db): Promise<void> {
  expect(await proveLedger(db)).toEqual([]);
  expect(await compareAll(db)).toEqual([]);
}

/** As if there had never been anybody who used anything, nor rows that were removed for their age. */
export async function forgetAll(db: Db): Promise<void> {
  await unguarded(db, async (trx) => {
    await sql`truncate organizations, accounts, refused_requests, usage_rows, usage_once, usage_hourly, usage_daily, log_days, usage_rebuild,
      usage_floor, pruned_usage, required_migrations cascade`.execute(trx);
  });
}
