import type { Transaction } from 'kysely';
import { may } from '#contract/roles.ts';
import { mailOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { Payment } from '../ledger/accounts.ts';

/**
 * A mail. `page`: the linked page of billing; null for a deleted organization. `link`: another page that is linked
 * instead. `action`: the text of the link.
 */
interface Letter {
  page: 'payment-setup' | 'overview' | 'transactions' | null;
  link?: string;
  action: string;
  title: string;
  before: string;
  list?: readonly string[];
  after: string;
}

type Trx = Transaction<Schema>;
type Parts = Pick<Services, 'mail' | 'config' | 'publicUrl'>;
/** Whom a mail is for. `isPayer`: who began the payment. `mayPay`: the pages of billing open for this person. */
interface Recipient {
  isPayer: boolean;
  mayPay: boolean;
}
/** Makes the mail from the organization's name, which is on one line. */
type Write = (organization: string, recipient: Recipient) => Letter;

/**
 * Mails an organization's owners and billing members.
 * @param payer is mailed, too: who began the payment may have another role, or none any more
 */
export async function mailReaders(
  trx: Trx,
  services: Parts,
  organizationId: string,
  write: Write,
  payer: string | null = null,
): Promise<void> {
  const readers = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select(['users.id', 'users.email'])
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', 'in', ['owner', 'billing'])
    .orderBy('users.email')
    .execute();
  for (const { id, email } of readers)
    await send(trx, services, organizationId, { to: email, isPayer: id === payer, mayPay: true }, write);
  const other = readers.some(({ id }) => id === payer) ? undefined : await readPayer(trx, organizationId, payer);
  if (other !== undefined) await send(trx, services, organizationId, other, write);
}

/** Mails who began a payment; owners and billing members if that is not known, or their account is gone. */
export async function mailPayer(
  trx: Trx,
  services: Parts,
  { organization_id, begun_by }: Pick<Payment, 'organization_id' | 'begun_by'>,
  write: Write,
): Promise<void> {
  const payer = await readPayer(trx, organization_id, begun_by);
  if (payer === undefined) return mailReaders(trx, services, organization_id, write);
  await send(trx, services, organization_id, payer, write);
}

async function nameOf(trx: Trx, organizationId: string): Promise<string> {
  const row = await trx.selectFrom('organizations').select('name').where('id', '=', organizationId).executeTakeFirst();
  return row?.name.replaceAll(/\s+/g, ' ') ?? '';
}

/** Who began a payment; undefined if their account is gone. */
async function readPayer(
  trx: Trx,
  organizationId: string,
  userId: string | null,
): Promise<(Recipient & { to: string }) | undefined> {
  if (userId === null) return undefined;
  const payer = await trx
    .selectFrom('users')
    .leftJoin('memberships', (join) =>
      join.onRef('memberships.user_id', '=', 'users.id').on('memberships.organization_id', '=', organizationId),
    )
    .select(['users.email', 'memberships.role'])
    .where('users.id', '=', userId)
    .executeTakeFirst();
  if (payer === undefined) return undefined;
  return { to: payer.email, isPayer: true, mayPay: payer.role !== null && may(payer.role, 'billing.manage') };
}

/** Links to the start page instead of a page of billing that does not open for this person. */
async function send(
  trx: Trx,
  services: Parts,
  organizationId: string,
  { to, ...recipient }: Recipient & { to: string },
  write: Write,
): Promise<void> {
  const organization = await nameOf(trx, organizationId);
  const { page, link, action, ...letter } = write(organization, recipient);
  const opens = page !== null && recipient.mayPay ? `org/${organizationId}/billing/${page}/` : '';
  await services.mail.send(
    trx,
    mailOf(services, {
      ...letter,
      to,
      link: link ?? `${services.publicUrl()}/${opens}`,
      action: link !== undefined || recipient.mayPay ? action : 'Open the console',
      reason: reasonOf(organization, recipient, page === null),
    }),
  );
}

function reasonOf(organization: string, { isPayer }: Recipient, isGone: boolean): string {
  if (isPayer) return `you began this payment for the organization ${organization}.`;
  return isGone
    ? `you owned the organization ${organization}, or looked after its billing.`
    : `you own the organization ${organization}, or look after its billing.`;
}
