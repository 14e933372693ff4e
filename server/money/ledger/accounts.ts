import { sql, type Selectable } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { LedgerTables } from '../../platform/db/ledger-tables.ts';

export type Account = Selectable<LedgerTables['accounts']>;
export type Payment = Selectable<LedgerTables['payments']>;
export type LedgerEntry = Selectable<LedgerTables['ledger_entries']>;

/** Clears the payment method of an account, and turns autopay off. */
export const NO_METHOD = {
  method_id: null,
  method_brand: null,
  method_last4: null,
  method_expires_month: null,
  method_expires_year: null,
  autopay_enabled: false,
} as const;

/** One change of a balance. `cause` is unique: entering it again changes nothing. */
export interface Entry {
  organizationId: string;
  kind: LedgerEntry['kind'];
  /** Positive if it raises the balance. */
  micros: number;
  cause: string;
  description: string;
  at: Date;
  /** The day of usage (UTC). */
  day?: string;
  paymentId?: string;
  /** The provider's id of the charge, because a payment may have several. */
  chargeId?: string;
  reversal?: LedgerEntry['reversal'];
  /** The cause of the entry that it reverses, or of the dispute whose fee it is. */
  about?: string;
}

const locked = (trx: Db, organizationId: string) =>
  trx.selectFrom('accounts').selectAll().where('organization_id', '=', organizationId).forNoKeyUpdate();

/**
 * Locks an account until the transaction ends. Undefined if the account is closed, because its organization is gone.
 */
export const lockAccount = (trx: Db, organizationId: string): Promise<Account | undefined> =>
  locked(trx, organizationId).where('closed_at', 'is', null).executeTakeFirst();

/** Locks an account, even a closed one, until the transaction ends. */
export const lockAnyAccount = (trx: Db, organizationId: string): Promise<Account | undefined> =>
  locked(trx, organizationId).executeTakeFirst();

/** Cost of usage that is not posted yet, micro-USD. */
export async function unpostedMicros(db: Db, organizationId: string): Promise<number> {
  const { micros } = await db
    .selectFrom('usage_days')
    .select((eb) => eb.fn.sum('cost_micros').as('micros'))
    .where('organization_id', '=', organizationId)
    .where('posted', '=', false)
    .executeTakeFirstOrThrow();
  return Number(micros ?? 0);
}

/** The balance less unposted usage, micro-USD. Undefined if the organization is gone. */
export const availableMicros = async (db: Db, organizationId: string): Promise<number | undefined> =>
  (await readLeft(db, organizationId))?.left;

/** The balance less unposted usage, and that usage. One statement, so that a day that is being posted counts once. */
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

/** Enters a change of a balance. Requires the account's lock. @returns false if the cause was entered before */
export async function postEntry(trx: Db, entry: Entry): Promise<boolean> {
  const { organizationId, kind, micros, cause, description, at, day, paymentId, chargeId, reversal, about } = entry;
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
      reversal: reversal ?? null,
      about: about ?? null,
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
 * Enters a change of a closed account and its reversal, so that the balance stays 0. Opens the account for these two
 * entries, because the database refuses entries of closed accounts.
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
