import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { postEntry, lockAccount } from './accounts.ts';

const START = 'credit:start:';

/** Starting credit if neither the database nor the settings have one, micro-USD. */
const DEFAULT_MICROS = 10_000_000;

/** The starting credit of each person's first organization, micro-USD. */
export const readStartingCredit = async (db: Db): Promise<number> => (await stored(db)) ?? DEFAULT_MICROS;

async function stored(db: Db): Promise<number | undefined> {
  const row = await db.selectFrom('billing_defaults').select('starting_credit_micros').executeTakeFirst();
  return row?.starting_credit_micros;
}

/**
 * Sets the starting credit, micro-USD. Also gives it to organizations from before the ledger existed: to the oldest one
 * of each person, once.
 * @param wanted undefined to keep the current one, or to store the default in a database without one
 * @returns the change; undefined for no change and for the first value
 */
export async function grantStartingCredits(
  db: Db,
  wanted: number | undefined,
  now: Date,
): Promise<{ old: number; new: number } | undefined> {
  const { old, micros } = await setStartingCredit(db, wanted);
  const accounts = await db
    .selectFrom('accounts')
    .innerJoin('organizations', 'organizations.id', 'accounts.organization_id')
    .select('organization_id')
    .where('is_credited', '=', false)
    .orderBy('organizations.position')
    .execute();
  for (const { organization_id } of accounts) await grant(db, organization_id, micros, now);
  return old === undefined || old === micros ? undefined : { old, new: micros };
}

async function setStartingCredit(
  db: Db,
  wanted: number | undefined,
): Promise<{ old: number | undefined; micros: number }> {
  return db.transaction().execute(async (trx) => {
    await sql`lock table billing_defaults in share row exclusive mode`.execute(trx);
    const old = await stored(trx);
    const micros = wanted ?? old ?? DEFAULT_MICROS;
    if (old === undefined)
      await trx.insertInto('billing_defaults').values({ starting_credit_micros: micros }).execute();
    else if (old !== micros)
      await trx.updateTable('billing_defaults').set({ starting_credit_micros: micros }).execute();
    return { old, micros };
  });
}

async function grant(db: Db, organizationId: string, micros: number, now: Date): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const account = await lockAccount(trx, organizationId);
    if (account === undefined || account.is_credited) return;
    await trx
      .updateTable('accounts')
      .set({ is_credited: true })
      .where('organization_id', '=', organizationId)
      .execute();
    if (micros === 0 || !(await takeStartingCredit(trx, organizationId, now))) return;
    await postEntry(trx, {
      organizationId,
      kind: 'credit',
      micros,
      cause: START + organizationId,
      description: 'Starting credit',
      at: now,
    });
  });
}

/** Marks that an organization's maker has had the starting credit. @returns false if they had it before */
async function takeStartingCredit(trx: Db, organizationId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ is_first: boolean }>`
    select take_starting_credit(created_by, id, ${now}::timestamptz) as is_first from organizations where id = ${organizationId}`.execute(
    trx,
  );
  return rows[0]?.is_first === true;
}
