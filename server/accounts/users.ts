import type { User } from '#contract/accounts.ts';
import type { Services } from '../context.ts';

/** What the user's own page shows. The id is that of a signed-in user, so the row is there. */
export async function readUser(services: Services, userId: string): Promise<User> {
  const { password_hash, ...user } = await services.db.selectFrom('users').select(['id as uuid', 'email', 'name', 'password_hash']).where('id', '=', userId).executeTakeFirstOrThrow();
  return { ...user, has_password: password_hash !== null };
}
