import type { PasswordChange, User, UserUpdate } from '#contract/accounts.ts';
import type { Services } from '../../platform/context.ts';
import type { SignedIn } from '../../platform/callers.ts';
import { Refusal } from '../../platform/refusal.ts';
import { hashPassword, isPasswordRight } from './passwords.ts';
import { storePassword, tellOfChange } from './recovery.ts';

/** The user for their own page. Requires the id of a signed-in user, whose row exists. */
export async function readUser(services: Services, userId: string): Promise<User> {
  const { password_hash, ...user } = await services.db
    .selectFrom('users')
    .select(['id as uuid', 'email', 'name', 'password_hash'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return { ...user, has_password: password_hash !== null };
}

/** ACC-09: stores the profile. */
export async function updateUser(services: Services, userId: string, { name }: UserUpdate): Promise<User> {
  await services.db.updateTable('users').set({ name }).where('id', '=', userId).execute();
  return readUser(services, userId);
}

/**
 * ACC-09: changes the password of a signed-in user, and ends their other sessions.
 * @throws Refusal invalid_credentials if the current one is wrong; or not empty, for an account without one
 */
export async function changePassword(
  services: Services,
  { userId, sessionId, email }: SignedIn,
  change: PasswordChange,
): Promise<void> {
  const { password_hash: stored } = await services.db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const isRight =
    stored === null ? change.current_password === '' : await isPasswordRight(stored, change.current_password);
  if (!isRight) throw wrongPassword();
  const password_hash = await hashPassword(change.new_password);
  await services.db.transaction().execute(async (db) => {
    const { password_hash: current } = await db
      .selectFrom('users')
      .select('password_hash')
      .where('id', '=', userId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    // The password changed in the meantime, perhaps to shut out this very caller.
    if (current !== stored) throw wrongPassword();
    await storePassword(db, { userId, password_hash, now: services.clock(), keptSession: sessionId });
    await tellOfChange(services, db, email);
  });
}

function wrongPassword(): Refusal {
  const message = 'The current password is wrong.';
  return new Refusal('invalid', 'invalid_credentials', message, {
    fields: [{ error_type: 'invalid_credentials', location: 'body.current_password', message }],
  });
}
