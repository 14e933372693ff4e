import { sql, type Transaction } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { Refusal } from '../../platform/refusal.ts';
import { mayMail } from '../mail-cap.ts';
import { noAccountMail, passwordChangedMail, recoveryMail } from './mails.ts';
import { hashPassword } from './passwords.ts';
import { hashToken, newToken, type Proven } from './sessions.ts';
import { emailKey } from './emails.ts';

const RECOVERY_LIFE_MS = 3600_000;

const tokenNotFound = (): Refusal => new Refusal('not_found', 'token_not_found', 'This password link is not valid.');
const tokenUsed = (): Refusal => new Refusal('invalid', 'token_used', 'This password link has already been used.');
const tokenExpired = (): Refusal => new Refusal('invalid', 'token_expired', 'This password link has expired.');

/**
 * ACC-05: mails a link for a new password, or that the account does not exist. The caller answers the same. Both cases
 * run the same two statements and send one mail, so that their time does not reveal which accounts exist.
 */
export async function requestRecovery(services: Services, email: string): Promise<void> {
  const { db } = services;
  if (!(await mayMail(services, 'recovery', emailKey(email)))) return;
  const token = newToken();
  const now = services.clock();
  const expiresAt = new Date(now.getTime() + RECOVERY_LIFE_MS);
  const known = await db
    .selectFrom('users')
    .select('email')
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst();
  await db.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('recoveries')
      .columns(['token_hash', 'user_id', 'created_at', 'expires_at'])
      .expression(
        transaction
          .selectFrom('users')
          .where('email_key', '=', emailKey(email))
          .select([
            sql<string>`${hashToken(token)}::text`.as('token_hash'),
            'users.id as user_id',
            sql<Date>`${now}::timestamptz`.as('created_at'),
            sql<Date>`${expiresAt}::timestamptz`.as('expires_at'),
          ]),
      )
      .execute();
    await services.mail.send(
      transaction,
      known === undefined
        ? noAccountMail(services, email, `${services.publicUrl()}/signup/`)
        : recoveryMail(services, known.email, `${services.publicUrl()}/password/${token}/`, expiresAt),
    );
  });
}

/** The user of a recovery link. @throws Refusal token_not_found, token_used or token_expired */
export async function readRecovery(services: Services, token: string): Promise<{ userId: string; email: string }> {
  const row = await services.db
    .selectFrom('recoveries')
    .innerJoin('users', 'users.id', 'recoveries.user_id')
    .select(['recoveries.user_id', 'recoveries.used_at', 'recoveries.expires_at', 'users.email'])
    .where('recoveries.token_hash', '=', hashToken(token))
    .executeTakeFirst();
  if (row === undefined) throw tokenNotFound();
  if (row.used_at !== null) throw tokenUsed();
  if (row.expires_at <= services.clock()) throw tokenExpired();
  return { userId: row.user_id, email: row.email };
}

/** ACC-06: sets the password, and ends all sessions of the user. @throws as {@link readRecovery} */
export async function resetPassword(services: Services, token: string, password: string): Promise<Proven> {
  const { userId, email } = await readRecovery(services, token);
  const password_hash = await hashPassword(password);
  await services.db.transaction().execute(async (db) => {
    const spent = await storePassword(db, { userId, password_hash, now: services.clock() });
    // Another request used this link, or another link of the user, in the meantime.
    if (!spent.includes(hashToken(token))) throw tokenUsed();
    await tellOfChange(services, db, email);
  });
  return { userId, passwordHash: password_hash };
}

/**
 * Stores a password, uses up the user's open recovery links, and ends their sessions except `keptSession`.
 * @returns the hashes of the links that were open
 */
export async function storePassword(
  db: Db,
  {
    userId,
    password_hash,
    now,
    keptSession,
  }: { userId: string; password_hash: string; now: Date; keptSession?: string },
): Promise<string[]> {
  // First, so that parallel changes wait for each other at the user's row.
  await db.updateTable('users').set({ password_hash }).where('id', '=', userId).execute();
  const links = await db
    .updateTable('recoveries')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .returning('token_hash')
    .execute();
  await db
    .updateTable('sessions')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .$if(keptSession !== undefined, (query) => query.where('id', '!=', keptSession ?? ''))
    .execute();
  return links.map(({ token_hash }) => token_hash);
}

/** Mails the owner that the password changed, in case a stranger did it. Part of the transaction that changes it. */
export async function tellOfChange(services: Services, transaction: Transaction<Schema>, email: string): Promise<void> {
  await services.mail.send(
    transaction,
    passwordChangedMail(services, email, `${services.publicUrl()}/password/recover/`),
  );
}
