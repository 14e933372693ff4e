/** Deletes an account. What the person did stays in audit logs and usage, under a pseudonym. */
import { sql, type Transaction } from 'kysely';
import type { AccountDeletion } from '#contract/accounts.ts';
import { emailKey } from '../../identity/accounts/emails.ts';
import { accountDeletedMail } from '../../identity/accounts/mails.ts';
import { isPasswordRight } from '../../identity/accounts/passwords.ts';
import { pseudonymOf } from '../../identity/accounts/pseudonym.ts';
import { Refusal, unauthenticated } from '../../platform/refusal.ts';
import type { SignedIn } from '../../platform/callers.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { announceAccessEnded } from '../access/ended.ts';
import { revokeMemberKeys } from '../api-keys/queries.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import { isRecent, soleOwnerships } from './check.ts';

/** How often the transaction is tried if the person joins an organization meanwhile. */
const TRIES = 5;

/** A person's e-mail address in every spelling that is stored, in lower case. */
type Addresses = readonly string[];

const wrong = (field: 'email' | 'password', message: string): Refusal =>
  new Refusal('invalid', 'invalid_credentials', message, {
    fields: [{ error_type: 'invalid_credentials', location: `body.${field}`, message }],
  });
const lastOwner = (names: readonly string[]): Refusal =>
  new Refusal(
    'invalid',
    'last_owner',
    `You are the only owner of ${names.join(', ')}. Make somebody else an owner, or delete the organization, first.`,
  );

/**
 * Deletes a user's account in one transaction, with their memberships, sessions, waiting mails and invitations, and
 * revokes the API keys that they made. Audit logs keep a pseudonym; usage keeps only the user's id.
 *
 * The transaction locks the user's row against changes, then the organizations (as every change of members does), then
 * the user's row against new references. A writer that waits for the last lock then finds no account.
 * @throws Refusal invalid_credentials, sign_in_again or last_owner; unauthenticated if the account is gone
 */
export async function deleteAccount(
  services: Services,
  { userId, sessionId }: SignedIn,
  { email, password }: AccountDeletion,
  requestId: string,
): Promise<void> {
  const { db, clock } = services;
  const user = await db
    .selectFrom('users')
    .select(['email', 'password_hash'])
    .where('id', '=', userId)
    .executeTakeFirst();
  if (!user) throw unauthenticated();
  if (emailKey(email) !== emailKey(user.email)) throw wrong('email', 'This is not the e-mail address of your account.');
  if (user.password_hash === null) {
    if (!(await isRecent(services, sessionId)))
      throw new Refusal(
        'invalid',
        'sign_in_again',
        'You signed in too long ago. Sign in again to confirm that it is you.',
      );
  } else if (!(await isPasswordRight(user.password_hash, password))) throw wrong('password', 'The password is wrong.');
  const act: Act = { userId, email: pseudonymOf(userId), requestId, at: clock() };
  for (let tries = 1; ; tries += 1) {
    try {
      await db.transaction().execute((trx) => end(services, trx, act, user.password_hash));
      return;
    } catch (error) {
      if (!(error instanceof JoinedMeanwhile) || tries >= TRIES) throw error;
    }
  }
}

/** @param confirmed the password hash that the user's input was compared with */
async function end(services: Services, trx: Transaction<Schema>, act: Act, confirmed: string | null): Promise<void> {
  const { userId } = act;
  const users = trx.selectFrom('users').select(['email', 'email_key', 'password_hash']).where('id', '=', userId);
  const user = await users.forNoKeyUpdate().executeTakeFirst();
  if (!user) throw unauthenticated();
  if (user.password_hash !== confirmed) throw wrong('password', 'The password was changed in the meantime.');
  // Sessions first: a page that heard of a lost organization first would read again, and get a 401.
  await sql`select set_config('parlance.deleted_account', ${userId}, true)`.execute(trx);
  await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
  const addresses = await addressesOf(trx, user);
  await leaveAll(trx, act, user.email_key, addresses);
  await users.forUpdate().executeTakeFirstOrThrow();
  // The person may have accepted an invitation meanwhile. From here on nobody can: the user's row is locked.
  const joined = await trx
    .selectFrom('memberships')
    .select('organization_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (joined) throw new JoinedMeanwhile();
  await forget(trx, act, addresses, user.email_key);
  await services.mail.forget(trx, addresses);
  await services.mail.send(trx, accountDeletedMail(services, user.email, `${services.publicUrl()}/signup/`));
  await trx.deleteFrom('users').where('id', '=', userId).execute();
  await announceAccessEnded(trx);
}

/** Rolls the transaction back; the next try includes the new organization. */
class JoinedMeanwhile extends Error {
  constructor() {
    super('The person joined an organization while their account was being deleted.');
    this.name = 'JoinedMeanwhile';
  }
}

async function addressesOf(db: Db, { email, email_key }: { email: string; email_key: string }): Promise<Addresses> {
  const invited = await db.selectFrom('invitations').select('email').where('email_key', '=', email_key).execute();
  return [...new Set([email, email_key, ...invited.map((row) => row.email)].map((text) => text.toLowerCase()))];
}

/** Locks the person's organizations, then removes memberships, API keys, contact e-mail and invitations. */
async function leaveAll(trx: Transaction<Schema>, act: Act, email_key: string, addresses: Addresses): Promise<void> {
  const { userId, at } = act;
  await trx
    .selectFrom('organizations')
    .select('id')
    .where((eb) =>
      eb.or([
        eb('id', 'in', eb.selectFrom('memberships').select('organization_id').where('user_id', '=', userId)),
        eb('id', 'in', eb.selectFrom('invitations').select('organization_id').where('email_key', '=', email_key)),
      ]),
    )
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const soleOwned = await soleOwnerships(trx, userId);
  if (soleOwned.length > 0) throw lastOwner(soleOwned.map(({ name }) => name));
  // Memberships before keys: making a key locks the membership, so no key is made after this.
  const left = await trx
    .deleteFrom('memberships')
    .where('user_id', '=', userId)
    .returning(['organization_id', 'role'])
    .execute();
  await trx.deleteFrom('project_members').where('user_id', '=', userId).execute();
  for (const { organization_id: organizationId, role } of left) {
    await revokeMemberKeys(trx, act, { userId, organizationId });
    await changeContact(trx, act, organizationId, addresses);
    await recordAudit(trx, act, {
      organizationId,
      action: 'member.removed',
      subject: act.email,
      detail: `${role}, deleted the account`,
    });
  }
  const invitations = await trx
    .deleteFrom('invitations')
    .where('email_key', '=', email_key)
    .returning(['organization_id', 'role', 'accepted_at', 'revoked_at', 'expires_at'])
    .execute();
  for (const { organization_id: organizationId, role, accepted_at, revoked_at, expires_at } of invitations) {
    if (accepted_at === null && revoked_at === null && expires_at > at)
      await recordAudit(trx, act, { organizationId, action: 'invitation.revoked', subject: act.email, detail: role });
  }
}

/** If the person is an organization's contact, makes its longest-standing owner the contact. */
async function changeContact(
  trx: Transaction<Schema>,
  act: Act,
  organizationId: string,
  addresses: Addresses,
): Promise<void> {
  const contact = await trx
    .selectFrom('organizations')
    .select('name')
    .where('id', '=', organizationId)
    .where((eb) => eb(eb.fn<string>('lower', ['contact_email']), 'in', addresses))
    .executeTakeFirst();
  if (!contact) return;
  const { email } = await trx
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('users.email')
    .where('memberships.organization_id', '=', organizationId)
    .where('memberships.role', '=', 'owner')
    .orderBy('memberships.created_at')
    .orderBy('users.id')
    .executeTakeFirstOrThrow();
  await trx.updateTable('organizations').set({ contact_email: email }).where('id', '=', organizationId).execute();
  await recordAudit(trx, act, {
    organizationId,
    action: 'organization.updated',
    subject: contact.name,
    detail: `contact e-mail: ${act.email} → ${email}`,
  });
}

/** Replaces the person's address in audit logs by the pseudonym, and removes unfinished sign-ups with it. */
async function forget(
  trx: Transaction<Schema>,
  { userId, email: pseudonym }: Act,
  addresses: Addresses,
  email_key: string,
): Promise<void> {
  await trx.updateTable('audit_log').set({ actor: pseudonym }).where('actor_id', '=', userId).execute();
  await trx
    .updateTable('audit_log')
    .set({ subject: pseudonym })
    .where((eb) => eb(eb.fn<string>('lower', ['subject']), 'in', addresses))
    .execute();
  // The address may also be an organization's contact in an entry's detail. Only organizations of the person count.
  for (const address of addresses) {
    await sql`update audit_log set detail = regexp_replace(detail, ${patternOf(address)}, ${pseudonym}, 'gi')
      where action in ('organization.created', 'organization.updated') and strpos(lower(detail), ${address}) > 0
        and organization_id in (
          select organization_id from audit_log where actor_id = ${userId}
          union select organization_id from audit_log where lower(subject) = lower(${pseudonym}))`.execute(trx);
  }
  await trx.deleteFrom('activations').where('email_key', '=', email_key).execute();
  await trx
    .deleteFrom('sso_signups')
    .where((eb) => eb(eb.fn<string>('lower', ['email']), 'in', addresses))
    .execute();
}

/** A PostgreSQL pattern for an e-mail address that does not match inside a longer address. */
const patternOf = (text: string): string =>
  `(?<![\\w.@+-])${text.replaceAll(/[\\^$.|?*+()[\]{}]/g, (sign) => `\\${sign}`)}(?![\\w@-]|\\.\\w)`;
