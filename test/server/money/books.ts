/** What is written down of an organization's money, straight from the database and in order. */
import { randomUUID } from 'node:crypto';
import { sql, type Insertable, type Transaction } from 'kysely';
import type { Db } from '#server/platform/db/database.ts';
import type { Schema } from '#server/platform/db/schema.ts';

export const accountOf = (db: Db, organizationId: string) =>
  db.selectFrom('accounts').selectAll().where('organization_id', '=', organizationId).executeTakeFirst();

export const entriesOf = (db: Db, organizationId: string) =>
  db
    .selectFrom('ledger_entries')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('position')
    .execute();

/** Payments, charges and setups, whatever became of them. */
export const paymentsOf = (db: Db, organizationId: string) =>
  db.selectFrom('payments').selectAll().where('organization_id', '=', organizationId).orderBy('position').execute();

/** A payment on whose page somebody is. @returns its id */
export async function beginPayment(
  db: Db,
  of: Pick<Insertable<Schema['payments']>, 'organization_id' | 'amount_micros' | 'page_id' | 'ends_at'> & { at: Date },
): Promise<string> {
  const { at, ...payment } = of;
  const id = randomUUID();
  const open = { id, kind: 'payment', state: 'open', key: `page:${id}`, run_at: at, created_at: at } as const;
  await db
    .insertInto('payments')
    .values({ ...open, ...payment })
    .execute();
  return id;
}

/** What has become of a charge of a stored payment method; nothing of it is in the books. @returns its id */
export async function addCharge(
  db: Db,
  of: Pick<Insertable<Schema['payments']>, 'organization_id' | 'amount_micros' | 'method_id' | 'state' | 'mode'> & {
    at: Date;
  },
): Promise<string> {
  const { at, ...charge } = of;
  const id = randomUUID();
  const key = `autopay:${of.organization_id}:0:${randomUUID()}`;
  await db
    .insertInto('payments')
    .values({ id, kind: 'autopay', key, mode: 'test', run_at: at, created_at: at, ...charge })
    .execute();
  return id;
}

/** Does something while the database fills in no columns for an earlier version: what is entered says all itself. */
export async function unaided(db: Db, work: () => Promise<unknown>): Promise<void> {
  await sql`alter table ledger_entries disable trigger ledger_entries_by_cause`.execute(db);
  try {
    await work();
  } finally {
    await sql`alter table ledger_entries enable trigger ledger_entries_by_cause`.execute(db);
  }
}

/** Does what triggers refuse: as if they were not there. */
export const unguarded = (db: Db, work: (trx: Transaction<Schema>) => Promise<unknown>): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await sql`select set_config('session_replication_role', 'replica', true)`.execute(trx);
    await work(trx);
  });

/** As if nothing had ever been entered for these organizations, nor anybody been given a credit. */
export const forgetEntries = (db: Db, ids: readonly string[]): Promise<void> =>
  unguarded(db, async (trx) => {
    await trx.deleteFrom('ledger_entries').where('organization_id', 'in', ids).execute();
    await trx.deleteFrom('credits_given').execute();
  });

/** Organizations are gone, and nothing else of their books than that is written down. @param ids all that there are when left out */
export const dropOrganizations = (db: Db, ids?: readonly string[]): Promise<void> =>
  db.transaction().execute(async (trx) => {
    await trx
      .updateTable('accounts')
      .set({ closed_at: new Date() })
      .$if(ids !== undefined, (query) => query.where('organization_id', 'in', ids ?? []))
      .execute();
    await trx
      .deleteFrom('organizations')
      .$if(ids !== undefined, (query) => query.where('id', 'in', ids ?? []))
      .execute();
  });
