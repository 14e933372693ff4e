import { sql, type Selectable } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { LedgerTables } from '../../platform/db/ledger-tables.ts';

export type Account = Selectable<LedgerTables['accounts']>;
export type Payment = Selectable<LedgerTables['payments']>;

/** What an account without a payment method has: autopay goes with it. */
export const NO_METHOD = {
  method_id: null,
  method_brand: null,
  method_last4: null,
  method_expires_month: null,
  method_expires_year: null,
  autopay_enabled: false,
} as const;

/** One change of a balance. `cause` is unique: the same cause again changes nothing. */
export interface Entry {
  organizationId: string;
  kind: LedgerTables['ledger_entries']['kind'];
  /** Signed: what raises the balance is above zero. */
  micros: number;
  cause: string;
  description: string;
  at: Date;
  /** Of usage: the day of UTC. */
  day?: string;
  paymentId?: string;
  /** Of the payment's charges: the provider's name. */
  chargeId?: string;
}

const locked = (trx: Db, organizationId: string) =>
  trx.selectFrom('accounts').selectAll().where('organization_id', '=', organizationId).forNoKeyUpdate();

/** Lets one change of an account be made at a time. Held to the end of the transaction; undefined when the organization is gone: its account is closed. */
export const lockAccount = (trx: Db, organizationId: string): Promise<Account | undefined> =>
  locked(trx, organizationId).where('closed_at', 'is', null).executeTakeFirst();

/** The same, also of an organization that is gone. */
export const lockAnyAccount = (trx: Db, organizationId: string): Promise<Account | undefined> =>
  locked(trx, organizationId).executeTakeFirst();

/** What was used on days that are not posted yet, micro-USD. */
export async function unpostedMicros(db: Db, organizationId: string): Promise<number> {
  const { micros } = await db
    .selectFrom('usage_days')
    .select((eb) => eb.fn.sum('cost_micros').as('micros'))
    .where('organization_id', '=', organizationId)
    .where('posted', '=', false)
    .executeTakeFirstOrThrow();
  return Number(micros ?? 0);
}

/** What is left, micro-USD. Undefined when the organization is gone. */
export const availableMicros = async (db: Db, organizationId: string): Promise<number | undefined> =>
  (await readLeft(db, organizationId))?.left;

/** The same with what is not posted yet: in one statement, so that a day that is being posted counts once. */
export async function readLeft(
  db: Db,
  organizationId: string,
): Promise<{ left: number; unposted: number } | undefined> {
  const row = await db
    .selectFrom('accounts')
    .select((eb) => [
      'balance_micros',
      eb
        .selectFrom('usage_days')
        .select((days) => days.fn.sum('cost_micros').as('micros'))
        .whereRef('usage_days.organization_id', '=', 'accounts.organization_id')
        .where('posted', '=', false)
        .as('unposted'),
    ])
    .where('organization_id', '=', organizationId)
    .where('closed_at', 'is', null)
    .executeTakeFirst();
  const unposted = Number(row?.unposted ?? 0);
  return row && { left: row.balance_micros - unposted, unposted };
}

/** Enters a change; the account must be locked. False for a cause that was entered before. */
export async function postEntry(trx: Db, entry: Entry): Promise<boolean> {
  const { organizationId, kind, micros, cause, description, at, day, paymentId, chargeId } = entry;
  const added = await trx
    .insertInto('ledger_entries')
    .values((eb) => ({
      organization_id: organizationId,
      kind,
      amount_micros: micros,
      balance_after_micros: eb
        .selectFrom('accounts')
        .select(sql<number>`balance_micros + ${micros}::bigint`.as('after'))
        .where('organization_id', '=', organizationId),
      cause,
      description,
      day: day ?? null,
      payment_id: paymentId ?? null,
      charge_id: chargeId ?? null,
      mode: eb
        .selectFrom('payments')
        .select('mode')
        .where('id', '=', paymentId ?? null),
      at,
    }))
    .onConflict((conflict) => conflict.column('cause').doNothing())
    .returning('balance_after_micros')
    .executeTakeFirst();
  if (added === undefined) return false;
  await trx
    .updateTable('accounts')
    .set({ balance_micros: added.balance_after_micros })
    .where('organization_id', '=', organizationId)
    .execute();
  return true;
}

/**
 * Enters a change of an account that was closed, with one that takes it back: nothing is left of such an account. It is open for these two
 * alone, as the database refuses any entry of a closed one.
 */
export async function postClosedEntry(trx: Db, entry: Entry, closedAt: Date): Promise<boolean> {
  const { organizationId, micros, cause, at } = entry;
  const close = (closed_at: Date | null) =>
    trx.updateTable('accounts').set({ closed_at }).where('organization_id', '=', organizationId).execute();
  await close(null);
  const isNew = await postEntry(trx, entry);
  if (isNew)
    await postEntry(trx, {
      organizationId,
      kind: 'correction',
      micros: -micros,
      cause: `closed:${cause}`,
      description: 'Balance brought back to 0: the organization was deleted',
      at,
    });
  await close(closedAt);
  return isNew;
}
