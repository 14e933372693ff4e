/** What is written down of an organization's money, straight from the database and in order. */
import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
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
