import type { Transaction } from 'kysely';
import { mailOf } from '../../identity/accounts/mails.ts';
import type { Services } from '../../platform/context.ts';
import type { Schema } from '../../platform/db/schema.ts';

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

/**
 * Mails an organization's owners and billing members.
 * @param write makes the mail from the name, which is on one line
 */
export async function mailReaders(
  trx: Transaction<Schema>,
  services: Pick<Services, 'mail' | 'config' | 'publicUrl'>,
  organizationId: string,
  write: (organization: string) => Letter,
): Promise<void> {
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
}
