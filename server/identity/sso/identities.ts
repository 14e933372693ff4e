import { randomUUID } from 'node:crypto';
import type { SsoSignUpRequest, SsoToken } from '#contract/sso.ts';
import { hashToken, newToken, openSession } from '../accounts/sessions.ts';
import { emailKey, shownEmail } from '../accounts/emails.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Person } from './provider.ts';

const SIGN_UP_LIFE_MS = 900_000;

/**
 * Signs a person of the identity provider in. Without an account, returns a sign-up token, so that the person is asked
 * first.
 *
 * Issuer and subject identify a person. At their first sign-in they get the account with their e-mail address, if there
 * is one. That is safe, because both sides have verified the address: the provider says so (else the sign-in is
 * refused), and an account is only created by a link in a mail to its address, or through the provider. So nobody can
 * prepare an account with the address of somebody else. Whoever receives the address's mails could set a new password
 * anyway.
 * @throws Refusal email_not_verified
 */
export async function admit(services: Services, person: Person, from: string | null): Promise<SsoToken> {
  const { db } = services;
  const known = await userOf(db, person);
  if (known !== undefined)
    return { outcome: 'signed_in', tokens: await openSession(services, { userId: known }), from };
  const { verifiedEmail, name } = person;
  if (verifiedEmail === undefined) {
    throw new Refusal(
      'invalid',
      'email_not_verified',
      'The identity provider has not verified your e-mail address. Please verify it there, and sign in again.',
    );
  }
  const email = shownEmail(verifiedEmail);
  const account = await accountOf(db, email);
  if (account !== undefined)
    return {
      outcome: 'signed_in',
      tokens: await openSession(services, { userId: await link(services, db, person, account) }),
      from,
    };
  const token = newToken();
  const now = services.clock();
  await db
    .insertInto('sso_signups')
    .values({
      token_hash: hashToken(token),
      issuer: person.issuer,
      subject: person.subject,
      email,
      name,
      created_at: now,
      expires_at: new Date(now.getTime() + SIGN_UP_LIFE_MS),
    })
    .execute();
  return { outcome: 'unknown_user', signup_token: token, email, name, from };
}

/**
 * Creates the account of a sign-up token of {@link admit}, without a password. If the account was created in the
 * meantime, uses that one.
 * @returns the user's id
 * @throws Refusal token_not_found, token_used or token_expired
 */
export async function signUpBySso(services: Services, { signup_token, referral }: SsoSignUpRequest): Promise<string> {
  const now = services.clock();
  return services.db.transaction().execute(async (db) => {
    const row = await db
      .selectFrom('sso_signups')
      .selectAll()
      .where('token_hash', '=', hashToken(signup_token))
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined)
      throw new Refusal(
        'not_found',
        'token_not_found',
        'This sign-up is not known. Please start single sign-on again.',
      );
    if (row.used_at !== null)
      throw new Refusal('invalid', 'token_used', 'This sign-up is done already. Please start single sign-on again.');
    if (row.expires_at <= now)
      throw new Refusal('invalid', 'token_expired', 'This sign-up took too long. Please start single sign-on again.');
    await db.updateTable('sso_signups').set({ used_at: now }).where('token_hash', '=', row.token_hash).execute();
    const known = await userOf(db, row);
    if (known !== undefined) return known;
    const made = await db
      .insertInto('users')
      .values({
        id: randomUUID(),
        email: row.email,
        email_key: emailKey(row.email),
        password_hash: null,
        name: row.name,
        referral: referral ?? null,
        created_at: now,
      })
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id')
      .executeTakeFirst();
    const account = made?.id ?? (await accountOf(db, row.email));
    if (account === undefined) throw new Error('an account that was in the way is gone');
    return link(services, db, row, account);
  });
}

interface Identity {
  issuer: string;
  subject: string;
}

async function userOf(db: Db, { issuer, subject }: Identity): Promise<string | undefined> {
  const row = await db
    .selectFrom('sso_identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.user_id;
}

async function accountOf(db: Db, email: string): Promise<string | undefined> {
  const row = await db.selectFrom('users').select('id').where('email_key', '=', emailKey(email)).executeTakeFirst();
  return row?.id;
}

/** Links an identity to a user. @returns the identity's user: another one if another call was quicker */
async function link(services: Services, db: Db, { issuer, subject }: Identity, userId: string): Promise<string> {
  await db
    .insertInto('sso_identities')
    .values({ issuer, subject, user_id: userId, created_at: services.clock() })
    .onConflict((conflict) => conflict.columns(['issuer', 'subject']).doNothing())
    .execute();
  return (await userOf(db, { issuer, subject })) ?? userId;
}
