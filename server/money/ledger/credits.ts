import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { postEntry, lockAccount } from './accounts.ts';

const START = 'credit:start:';

/** What a database begins with that has none, where the settings name none, micro-USD. */
const DEFAULT_MICROS = 10_000_000;

/** What the first organization of each person begins with, micro-USD. */
export const readStartingCredit = async (db: Db): Promise<number> => (await stored(db)) ?? DEFAULT_MICROS;

async function stored(db: Db): Promise<number | undefined> {
  const row = await db.selectFrom('billing_defaults').select('starting_credit_micros').executeTakeFirst();
  return row?.starting_credit_micros;
}

/**
 * Sets what the first organization of each person begins with from now on, micro-USD, and gives it to those from before there was a ledger:
 * to the oldest of each person, once.
 * @param wanted undefined: as it is, and the usual one in a database that has none
 * @returns what was changed; the first writing changes nothing
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
    if (micros === 0 || !(await isFirstOfMaker(trx, organizationId, now))) return;
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

/** Whether whoever has made an organization has had no starting credit before; from here on they have. */
async function isFirstOfMaker(trx: Db, organizationId: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ is_first: boolean }>`
    select take_starting_credit(created_by, id, ${now}::timestamptz) as is_first from organizations where id = ${organizationId}`.execute(
    trx,
  );
  return rows[0]?.is_first === true;
}
