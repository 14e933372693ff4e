import type { Transaction } from 'kysely';
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
/** Makes the mail from the organization's name, which is on one line. */
type Write = (organization: string) => Letter;

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
  const organization = await nameOf(trx, organizationId);
  for (const { email } of readers) {
    const { page, ...letter } = write(organization);
    await services.mail.send(
      trx,
      mailOf(services, {
        to: email,
        ...(page === null
          ? {
              link: `${services.publicUrl()}/`,
              reason: `you owned the organization ${organization}, or looked after its billing.`,
            }
          : {
              link: `${services.publicUrl()}/org/${organizationId}/billing/${page}/`,
              reason: `you own the organization ${organization}, or look after its billing.`,
            }),
        ...letter,
      }),
    );
  }
  const other = readers.some(({ id }) => id === payer) ? undefined : await emailOf(trx, payer);
  if (other !== undefined) await mailBeginner(trx, services, organization, other, write);
}

/** Mails who began a payment; owners and billing members if that is not known, or their account is gone. */
export async function mailPayer(
  trx: Trx,
  services: Parts,
  { organization_id, begun_by }: Pick<Payment, 'organization_id' | 'begun_by'>,
  write: Write,
): Promise<void> {
  const email = await emailOf(trx, begun_by);
  if (email === undefined) return mailReaders(trx, services, organization_id, write);
  await mailBeginner(trx, services, await nameOf(trx, organization_id), email, write);
}

async function nameOf(trx: Trx, organizationId: string): Promise<string> {
  const row = await trx.selectFrom('organizations').select('name').where('id', '=', organizationId).executeTakeFirst();
  return row?.name.replaceAll(/\s+/g, ' ') ?? '';
}

async function emailOf(trx: Trx, userId: string | null): Promise<string | undefined> {
  if (userId === null) return undefined;
  return (await trx.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirst())?.email;
}

/** Links to the start page instead of a page of billing, which may not open for this person any more. */
async function mailBeginner(trx: Trx, services: Parts, organization: string, to: string, write: Write): Promise<void> {
  const { page: _page, link, action, ...letter } = write(organization);
  await services.mail.send(
    trx,
    mailOf(services, {
      ...letter,
      ...(link === undefined ? { link: `${services.publicUrl()}/`, action: 'Open the console' } : { link, action }),
      to,
      reason: `you began this payment for the organization ${organization}.`,
    }),
  );
}
