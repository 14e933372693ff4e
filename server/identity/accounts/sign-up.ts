import { randomUUID } from 'node:crypto';
import type { Services } from '../../platform/context.ts';
import { Refusal } from '../../platform/refusal.ts';
import { mayMail } from '../mail-cap.ts';
import { emailKey, shownEmail } from './emails.ts';
import { accountExistsMail, activationMail } from './mails.ts';
import { hashPassword } from './passwords.ts';
import { hashToken, newToken } from './sessions.ts';

const ACTIVATION_LIFE_MS = 48 * 3600_000;

const tokenNotFound = (): Refusal => new Refusal('not_found', 'token_not_found', 'This activation link is not valid.');
const tokenUsed = (): Refusal => new Refusal('invalid', 'token_used', 'This activation link has already been used.');
const tokenExpired = (): Refusal => new Refusal('invalid', 'token_expired', 'This activation link has expired.');

/**
 * ACC-02, ACC-04: mails an activation link, or that the account already exists. Mails nothing if the address has
 * reached its cap. The caller answers the same in all cases.
 */
export async function requestSignUp(
  services: Services,
  typed: string,
  referral: string | undefined,
  from: string | undefined,
): Promise<void> {
  const email = shownEmail(typed);
  if (!(await mayMail(services, 'sign-up', emailKey(email)))) return;
  const known = await services.db
    .selectFrom('users')
    .select('email')
    .where('email_key', '=', emailKey(email))
    .executeTakeFirst();
  const token = newToken();
  const now = services.clock();
  const expires_at = new Date(now.getTime() + ACTIVATION_LIFE_MS);
  await services.db.transaction().execute(async (db) => {
    if (known !== undefined)
      return services.mail.send(db, accountExistsMail(services, known.email, `${services.publicUrl()}/signin/`));
    await db
      .insertInto('activations')
      .values({
        token_hash: hashToken(token),
        email,
        email_key: emailKey(email),
        referral: referral ?? null,
        from_path: from ?? null,
        created_at: now,
        expires_at,
      })
      .execute();
    await services.mail.send(
      db,
      activationMail(services, email, `${services.publicUrl()}/signup/${token}/`, expires_at),
    );
  });
}

/** The sign-up of an activation link. @throws Refusal token_not_found, token_used or token_expired */
export async function readActivation(
  services: Services,
  token: string,
): Promise<{ email: string; emailKey: string; referral: string | null; from: string | null }> {
  const row = await services.db
    .selectFrom('activations')
    .selectAll()
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst();
  if (row === undefined) throw tokenNotFound();
  // If the account was created in another way, this link counts as used.
  const account = await services.db
    .selectFrom('users')
    .select('id')
    .where('email_key', '=', row.email_key)
    .executeTakeFirst();
  if (row.used_at !== null || account !== undefined) throw tokenUsed();
  if (row.expires_at <= services.clock()) throw tokenExpired();
  return { email: row.email, emailKey: row.email_key, referral: row.referral, from: row.from_path };
}

/**
 * Creates the account of an activation link, and uses up the link.
 * @returns the user's id
 * @throws as {@link readActivation}
 */
export async function activate(services: Services, token: string, password: string): Promise<string> {
  const activation = await readActivation(services, token);
  const password_hash = await hashPassword(password);
  const userId = randomUUID();
  const now = services.clock();
  await services.db.transaction().execute(async (db) => {
    const made = await db
      .insertInto('users')
      .values({
        id: userId,
        email: activation.email,
        email_key: activation.emailKey,
        password_hash,
        referral: activation.referral,
        created_at: now,
      })
      .onConflict((conflict) => conflict.column('email_key').doNothing())
      .returning('id')
      .executeTakeFirst();
    if (made === undefined) throw tokenUsed();
    await db
      .updateTable('activations')
      .set({ used_at: now })
      .where('email_key', '=', activation.emailKey)
      .where('used_at', 'is', null)
      .execute();
  });
  return userId;
}
