import type { Selectable, Transaction } from 'kysely';
import { mailOf, momentOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { LedgerTables } from '../../platform/db/ledger-tables.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { addTry } from '../ledger/arm.ts';

type Trx = Transaction<Schema>;
type Payment = Selectable<LedgerTables['payments']>;
type Parts = Pick<Services, 'mail' | 'config' | 'publicUrl'>;

const HOUR_MS = 3_600_000;
/** Waits before the second try of a charge that was declined, the third, and the fourth; milliseconds. */
const WAITS_MS = [HOUR_MS, 24 * HOUR_MS, 72 * HOUR_MS];
/** Tries of autopay for one crossing. */
export const TRIES = WAITS_MS.length + 1;

/** A payment has failed for certain: autopay tries again later, with a key of its own, and the owners are told. Once for each payment. */
export async function declined(trx: Trx, services: Parts, payment: Payment, message: string, now: Date): Promise<void> {
  const failed = await trx
    .updateTable('payments')
    .set({ state: 'failed', error_message: message })
    .where('id', '=', payment.id)
    .where('state', 'in', ['due', 'sent', 'open'])
    .returning(['crossing', 'amount_micros'])
    .executeTakeFirst();
  if (failed?.amount_micros == null || payment.kind !== 'autopay') return;
  const wait = WAITS_MS[payment.attempt - 1];
  const nextAt = wait === undefined ? undefined : new Date(now.getTime() + wait);
  if (nextAt !== undefined)
    await addTry(
      trx,
      payment.organization_id,
      {
        crossing: failed.crossing ?? 0,
        attempt: payment.attempt + 1,
        amountMicros: failed.amount_micros,
        runAt: nextAt,
      },
      now,
    );
  await stopFor(trx, services, payment.organization_id, message, { now, nextAt });
}

/** Autopay has an error: its owners are told, and when it tries again, if it does. */
export async function stopFor(
  trx: Trx,
  services: Parts,
  organizationId: string,
  message: string,
  { now, nextAt }: { now: Date; nextAt: Date | undefined },
): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ error_message: message, error_at: now })
    .where('organization_id', '=', organizationId)
    .execute();
  const owners = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['users.email', 'organizations.name'])
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', '=', 'owner')
    .execute();
  for (const { email, name } of owners) {
    await services.mail.send(
      trx,
      mailOf(services, {
        to: email,
        link: `${services.publicUrl()}/org/${organizationId}/billing/payment-setup/`,
        title: 'A payment failed',
        before: `${name.replaceAll(/\s+/g, ' ')} could not be charged: ${message}`,
        action: 'Open payment setup',
        after:
          nextAt === undefined
            ? 'Autopay does not try again by itself. When the balance is used up, new requests are refused.'
            : `Autopay tries again on ${momentOf(nextAt)}. When the balance is used up before, new requests are refused.`,
        reason: `you own the organization ${name.replaceAll(/\s+/g, ' ')}.`,
      }),
    );
  }
}
