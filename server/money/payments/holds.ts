/**
 * Holds of autopay: reasons that keep it from charging. Refunds, disputes, amounts that differ from what
 * was asked for, and charges without a final answer.
 */
import type { Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { lockAccount, type Account, type Payment } from '../ledger/accounts.ts';
import { dropDue } from '../ledger/life.ts';
import { autopayState, ENDED_BY_METHOD, type HoldReason } from '../ledger/autopay-life.ts';
import { disputeCauses, refundOrDisputeCause } from './entries.ts';
import type { OtherCurrency, MoneyMoved, DisputeInquiry, StoredMethod } from './port.ts';
import { moveAutopay } from './stop.ts';

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'clock' | 'log' | 'mail' | 'config' | 'publicUrl'>;

/**
 * Begins or ends a hold for a refund or dispute. A dispute holds autopay from its opening on, even if the books refuse
 * it. A refund holds it only if autopay is on: else the low balance would charge the same amount again. The hold ends if the dispute is won
 * or the refund fails, even if that event comes first.
 * @param isEntered whether the event has just changed the balance. A refund holds only then; a dispute then holds again
 *   even if its hold was ended
 */
export async function holdFor(
  trx: Trx,
  services: Parts,
  event: MoneyMoved | OtherCurrency | DisputeInquiry,
  payment: Pick<Payment, 'organization_id' | 'kind' | 'method_id'>,
  isEntered: boolean,
): Promise<void> {
  const cause = refundOrDisputeCause(event);
  // A deleted organization has no autopay.
  const account = cause === undefined ? undefined : await lockAccount(trx, payment.organization_id);
  if (cause === undefined || account === undefined) return;
  if (event.type === 'dispute_dropped')
    // If money was taken, its return comes as an event of its own.
    return (await isTaken(trx, event.disputeId)) ? undefined : release(trx, services, payment, cause, 'won');
  const type = event.type === 'other_currency' ? event.of : event.type;
  switch (type) {
    case 'disputed':
    case 'dispute_opened':
      // A reset after the opening of the dispute does not cover the money that is taken now, so this holds again.
      return hold(trx, services, payment, { cause, why: 'disputed', isAnew: type === 'disputed' && isEntered });
    case 'refunded':
      return isEntered && account.autopay_enabled
        ? hold(trx, services, payment, { cause, why: 'refunded' })
        : undefined;
    case 'dispute_won':
      return release(trx, services, payment, cause, 'won');
    case 'refund_failed':
      return release(trx, services, payment, cause, type);
    case 'paid':
      return undefined;
  }
}

/** Whether a dispute has taken money that is not back. */
async function isTaken(trx: Trx, disputeId: string): Promise<boolean> {
  const entries = await trx
    .selectFrom('ledger_entries')
    .select('cause')
    .where('cause', 'in', Object.values(disputeCauses(disputeId)))
    .execute();
  return entries.length === 1;
}

/** Whether a cause has or had a hold. */
export const hasEverHeld = async (trx: Trx, cause: string): Promise<boolean> =>
  (await trx.selectFrom('account_holds').select('cause').where('cause', '=', cause).executeTakeFirst()) !== undefined;

/**
 * Holds autopay once for each cause, and drops its due charges.
 * @param isAnew holds again if the hold was ended before
 */
export async function hold(
  trx: Trx,
  services: Parts,
  payment: Pick<Payment, 'organization_id' | 'kind' | 'method_id'>,
  { cause, why, isAnew = false }: { cause: string; why: Exclude<HoldReason, 'silent'>; isAnew?: boolean },
): Promise<void> {
  const { organization_id } = payment;
  const account = await lockAccount(trx, organization_id);
  if (account === undefined) return;
  // The method of a payment by hand is unknown, and so are former methods of the account.
  const isOfMethod = payment.kind === 'autopay' && payment.method_id === account.method_id;
  const held = {
    why,
    card: isOfMethod && account.method_last4 !== '' ? cardOf(account) : null,
    since: services.clock(),
  };
  const added = await trx
    .insertInto('account_holds')
    .values({ cause, organization_id, ...held })
    .onConflict((conflict) =>
      isAnew
        ? conflict
            .column('cause')
            .doUpdateSet({ ...held, ended_at: null, ended_by: null })
            .where('account_holds.ended_at', 'is not', null)
        : conflict.column('cause').doNothing(),
    )
    .returning('cause')
    .executeTakeFirst();
  if (added === undefined) return;
  await dropDue(trx, organization_id);
  await moveAutopay(trx, services, organization_id, why);
}

/**
 * Ends a hold because the provider says so. If the hold has not begun, records it as ended, so that a late beginning
 * has no effect.
 */
async function release(
  trx: Trx,
  services: Parts,
  { organization_id }: Pick<Payment, 'organization_id'>,
  cause: string,
  event: 'won' | 'refund_failed',
): Promise<void> {
  if (await endOpen(trx, services, cause)) return moveAutopay(trx, services, organization_id, event);
  const why = event === 'won' ? 'disputed' : 'refunded';
  const since = services.clock();
  await trx
    .insertInto('account_holds')
    .values({ cause, organization_id, why, since, ended_at: since, ended_by: 'provider' })
    // A reset or another method may have ended it before; now it has ended for good.
    .onConflict((conflict) => conflict.column('cause').doUpdateSet({ ended_by: 'provider' }))
    .execute();
}

/** Ends disputes' holds after a payment method was stored, if it is certainly not the disputed one. */
export async function releaseByMethod(
  trx: Trx,
  services: Parts,
  organizationId: string,
  method: Pick<StoredMethod, 'brand' | 'last4'>,
): Promise<void> {
  const account = await lockAccount(trx, organizationId);
  const { numUpdatedRows } = await trx
    .updateTable('account_holds')
    .set({ ended_at: services.clock(), ended_by: 'method' })
    .where('organization_id', '=', organizationId)
    .where(
      'why',
      'in',
      ENDED_BY_METHOD.filter((why) => why !== 'silent'),
    )
    // A stored method without digits, such as a wallet, may be the disputed one, so it ends no hold. Nor does a hold end
    // whose card has no digits, as an earlier version wrote.
    .where((eb) =>
      method.last4 === '' ? eb.lit(false) : eb.and([eb('card', '<>', nameOf(method)), eb('card', '~', '[0-9]$')]),
    )
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  // While rows of the account's reason stay open, so does autopay's hold. One of an earlier version has no row.
  if (account !== undefined && (!ENDED_BY_METHOD.some((why) => why === autopayState(account)) || numUpdatedRows > 0n))
    await moveAutopay(trx, services, organizationId, 'method');
}

/** Ends all holds by a reset. */
export async function releaseAll(trx: Trx, services: Parts, organizationId: string): Promise<void> {
  await trx
    .updateTable('account_holds')
    .set({ ended_at: services.clock(), ended_by: 'reset' })
    .where('organization_id', '=', organizationId)
    .where('ended_at', 'is', null)
    .execute();
  await trx
    .updateTable('payments')
    .set({ silent: false })
    .where('organization_id', '=', organizationId)
    .where('silent', '=', true)
    .execute();
  await moveAutopay(trx, services, organizationId, 'reset');
}

/** Holds autopay after a charge has expired without an answer of the provider: it may have been made. */
export async function holdSilent(
  trx: Trx,
  services: Parts,
  { id, organization_id }: Pick<Payment, 'id' | 'organization_id'>,
): Promise<void> {
  await trx.updateTable('payments').set({ silent: true }).where('id', '=', id).execute();
  await dropDue(trx, organization_id);
  await moveAutopay(trx, services, organization_id, 'silent');
}

/** Ends the hold of {@link holdSilent}: the provider has answered after all. */
export async function endSilence(
  trx: Trx,
  services: Parts,
  { id, organization_id }: Pick<Payment, 'id' | 'organization_id'>,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('payments')
    .set({ silent: false })
    .where('id', '=', id)
    .where('silent', '=', true)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) await moveAutopay(trx, services, organization_id, 'heard');
}

/** Ends an open hold. @returns false if there is none */
async function endOpen(trx: Trx, { clock }: Parts, cause: string): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('account_holds')
    .set({ ended_at: clock(), ended_by: 'provider' })
    .where('cause', '=', cause)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

const nameOf = ({ brand, last4 }: Pick<StoredMethod, 'brand' | 'last4'>): string => `${brand} ${last4}`.trim();

/** The name of an account's payment method, such as `Visa 4242`; null without one. */
export const cardOf = ({ method_brand, method_last4 }: Account): string | null =>
  method_last4 === null ? null : nameOf({ brand: method_brand ?? 'Card', last4: method_last4 });
