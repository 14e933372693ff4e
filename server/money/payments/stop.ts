import type { Transaction } from 'kysely';
import type { PaymentErrorReason } from '#contract/billing.ts';
import { mailOf, momentOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';

type Parts = Pick<Services, 'mail' | 'config' | 'publicUrl'>;

/** Why autopay has stopped. `message` is told on the screens, too. */
type Stop =
  | { why: 'declined'; message: string; nextAt: Date | undefined }
  | { why: Exclude<PaymentErrorReason, 'declined'> };

const MESSAGES = {
  unknown:
    'The payment provider has not said whether the last charge went through. Until it does, nothing else is charged.',
  refunded: 'A payment was refunded. So that it is not charged again at once, autopay waits for a reset.',
  disputed: 'A payment was disputed with the bank. Autopay waits for a reset.',
  mismatched:
    'The payment provider told of another amount or currency than was asked for. It is not in the balance, and the operator of this service has been told. Autopay waits for a reset.',
} as const;

/** What the error of autopay says, for people. */
const messageOf = (stop: Stop): string => (stop.why === 'declined' ? stop.message : MESSAGES[stop.why]);

const USED_UP = 'When the balance is used up, new requests are refused.';

/** Autopay has an error: owners, and who looks after billing, are told, and when it tries again, if it does. */
export async function stopAutopay(
  trx: Transaction<Schema>,
  services: Parts,
  organizationId: string,
  stop: Stop,
  now: Date,
): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ error_why: stop.why, error_message: messageOf(stop), error_at: now })
    .where('organization_id', '=', organizationId)
    .execute();
  const readers = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .innerJoin('organizations', 'organizations.id', 'memberships.organization_id')
    .select(['users.email', 'organizations.name'])
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', 'in', ['owner', 'billing'])
    .orderBy('users.email')
    .execute();
  for (const { email, name } of readers) {
    const organization = name.replaceAll(/\s+/g, ' ');
    await services.mail.send(
      trx,
      mailOf(services, {
        to: email,
        link: `${services.publicUrl()}/org/${organizationId}/billing/payment-setup/`,
        action: 'Open payment setup',
        reason: `you own the organization ${organization}, or look after its billing.`,
        ...words(stop, organization),
      }),
    );
  }
}

/** The outcome of a charge stays unknown: owners, and who looks after billing, are told once, until somebody resets it. */
export async function tellUnknown(trx: Transaction<Schema>, services: Parts, id: string, now: Date): Promise<void> {
  const unknown = await trx
    .selectFrom('payments')
    .innerJoin('accounts', 'accounts.organization_id', 'payments.organization_id')
    .select('payments.organization_id')
    .where('payments.id', '=', id)
    .where('payments.state', '=', 'sent')
    .where('accounts.error_message', 'is', null)
    .executeTakeFirst();
  if (unknown !== undefined) await stopAutopay(trx, services, unknown.organization_id, { why: 'unknown' }, now);
}

function words(stop: Stop, organization: string): { title: string; before: string; after: string } {
  const message = messageOf(stop);
  switch (stop.why) {
    case 'declined':
      return {
        title: 'A payment failed',
        before: `${organization} could not be charged: ${message}`,
        after:
          stop.nextAt === undefined
            ? `Autopay won't try again by itself. ${USED_UP}`
            : `Autopay tries again on ${momentOf(stop.nextAt)}. When the balance is used up before, new requests are refused.`,
      };
    case 'unknown':
      return {
        title: 'A payment has no answer yet',
        before: `Autopay of ${organization} waits. ${message}`,
        after: `The payment provider is asked again by itself, and nothing is charged twice. ${USED_UP}`,
      };
    case 'refunded':
    case 'disputed':
    case 'mismatched':
      return { title: 'Autopay has stopped', before: `${organization}: ${message}`, after: USED_UP };
  }
}
