/** The end of an account: what the person had goes, and what they did stays under a pseudonym. */
import { sql, type Transaction } from 'kysely';
import type { AccountDeletion } from '#contract/accounts.ts';
import { emailKey } from '../../identity/accounts/emails.ts';
import { accountDeletedMail } from '../../identity/accounts/mails.ts';
import { isPasswordRight } from '../../identity/accounts/passwords.ts';
import { pseudonymOf } from '../../identity/accounts/pseudonym.ts';
import { ApiProblem, unauthenticated } from '../../http/errors.ts';
import type { SignedIn } from '../../http/env.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { tellAccessEnded } from '../access/ended.ts';
import { revokeMadeKeys } from '../api-keys/queries.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import { isRecent, soleOwnerships } from './check.ts';

/** Times that the deletion begins anew because the person joined an organization meanwhile. */
const TRIES = 5;

/** The addresses of a person, as they were typed in different places. */
type Addresses = readonly string[];

const wrong = (field: 'email' | 'password', message: string): ApiProblem =>
  new ApiProblem(400, 'invalid_credentials', message, [
    { error_type: 'invalid_credentials', location: `body.${field}`, message },
  ]);
const lastOwner = (names: readonly string[]): ApiProblem =>
  new ApiProblem(
    400,
    'last_owner',
    `You are the only owner of ${names.join(', ')}. Make somebody else an owner, or delete the organization, first.`,
  );

/**
 * Deletes the account of a signed-in person, in one transaction: memberships, sessions, keys that they made in their organizations,
 * invitations to them and mails that wait for them end with it. The audit log keeps a pseudonym, and so does usage, which knows ids only.
 *
 * Nothing that refers to the account is written beside it: it is locked first against changes of its own, then its organizations as
 * every change of their people locks them, and at last against whatever would refer to it. Who waits for that finds no account.
 * @throws ApiProblem 400 invalid_credentials, sign_in_again or last_owner, 401 where it is gone already
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
      throw new ApiProblem(
        400,
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

/** @param confirmed the password that was compared, as it is stored */
async function end(services: Services, trx: Transaction<Schema>, act: Act, confirmed: string | null): Promise<void> {
  const { userId } = act;
  const users = trx.selectFrom('users').select(['email', 'email_key', 'password_hash']).where('id', '=', userId);
  const user = await users.forNoKeyUpdate().executeTakeFirst();
  if (!user) throw unauthenticated();
  if (user.password_hash !== confirmed) throw wrong('password', 'The password was changed in the meantime.');
  // First what open pages are told: that they lost their organizations would have them ask, and be refused.
  await sql`select set_config('parlance.deleted_account', ${userId}, true)`.execute(trx);
  await trx.deleteFrom('sessions').where('user_id', '=', userId).execute();
  const addresses = await addressesOf(trx, user);
  await leaveAll(trx, act, user.email_key, addresses);
  await users.forUpdate().executeTakeFirstOrThrow();
  // By an invitation that was being accepted; from here on none can be.
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
  await tellAccessEnded(trx);
}

/** The transaction is undone, and made again with the organization that came to it. */
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

/** Ends memberships and invitations, in organizations that are held until the end. */
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
  const alone = await soleOwnerships(trx, userId);
  if (alone.length > 0) throw lastOwner(alone.map(({ name }) => name));
  // Before their keys: whoever makes one holds on to the membership, so that none slips through.
  const left = await trx
    .deleteFrom('memberships')
    .where('user_id', '=', userId)
    .returning(['organization_id', 'role'])
    .execute();
  await trx.deleteFrom('project_members').where('user_id', '=', userId).execute();
  for (const { organization_id: organizationId, role } of left) {
    await revokeMadeKeys(trx, act, { userId, organizationId });
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

/** Who asks an organization by its contact e-mail shall not ask somebody who is gone: its longest owner is asked instead. */
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

/** Takes the person's address out of what stays, and drops what waited for it. */
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
  // Where it was the contact of an organization that they had to do with.
  for (const address of addresses) {
    await sql`update audit_log set detail = regexp_replace(detail, ${literally(address)}, ${pseudonym}, 'gi')
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

/** A text as a pattern that matches nothing else, where no longer address has it in itself. */
const literally = (text: string): string =>
  `(?<![\\w.@+-])${text.replaceAll(/[\\^$.|?*+()[\]{}]/g, (sign) => `\\${sign}`)}(?![\\w@-]|\\.\\w)`;
