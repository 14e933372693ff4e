/** Checks before the deletion of an account. */
import { FRESH_SIGN_IN_MINUTES, type AccountDeletionCheck } from '#contract/accounts.ts';
import type { SignedIn } from '../../platform/callers.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';

/** Organizations whose only owner is this user. `others`: the number of their other members. */
export async function soleOwnerships(
  db: Db,
  userId: string,
): Promise<{ uuid: string; name: string; others: number }[]> {
  const rows = await db
    .selectFrom('memberships as own')
    .innerJoin('organizations', 'organizations.id', 'own.organization_id')
    .select((eb) => [
      'organizations.id as uuid',
      'organizations.name',
      eb
        .selectFrom('memberships as other')
        .select((of) => of.fn.countAll().as('others'))
        .whereRef('other.organization_id', '=', 'own.organization_id')
        .where('other.user_id', '<>', userId)
        .as('others'),
    ])
    .where('own.user_id', '=', userId)
    .where('own.role', '=', 'owner')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('memberships as owner')
            .select('owner.user_id')
            .whereRef('owner.organization_id', '=', 'own.organization_id')
            .where('owner.role', '=', 'owner')
            .where('owner.user_id', '<>', userId),
        ),
      ),
    )
    .orderBy('organizations.position')
    .execute();
  return rows.map(({ others, ...organization }) => ({ ...organization, others: Number(others) }));
}

/**
 * Whether a session began in the last {@link FRESH_SIGN_IN_MINUTES}. A start that lies more than this in the future
 * does not count either: the clock has been set back since.
 */
export async function isRecent({ db, clock }: Pick<Services, 'db' | 'clock'>, sessionId: string): Promise<boolean> {
  const session = await db.selectFrom('sessions').select('created_at').where('id', '=', sessionId).executeTakeFirst();
  const age = session === undefined ? Infinity : clock().getTime() - session.created_at.getTime();
  return Math.abs(age) <= FRESH_SIGN_IN_MINUTES * 60_000;
}

/** Tells what stands in the way of deleting the account, and how the user has to confirm it. */
export async function checkDeletion(
  services: Services,
  { userId, sessionId }: SignedIn,
): Promise<AccountDeletionCheck> {
  const { db } = services;
  const { password_hash } = await db
    .selectFrom('users')
    .select('password_hash')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  const { keys } = await db
    .selectFrom('api_keys')
    .innerJoin('projects', 'projects.id', 'api_keys.project_id')
    .innerJoin('memberships', 'memberships.organization_id', 'projects.organization_id')
    .select((eb) => eb.fn.countAll().as('keys'))
    .where('memberships.user_id', '=', userId)
    .where('api_keys.created_by', '=', userId)
    .where('api_keys.revoked_at', 'is', null)
    .where((eb) => eb.or([eb('api_keys.expires_at', 'is', null), eb('api_keys.expires_at', '>', services.clock())]))
    .executeTakeFirstOrThrow();
  return {
    organizations: await soleOwnerships(db, userId),
    api_keys: Number(keys),
    confirmed_by:
      password_hash !== null ? 'password' : (await isRecent(services, sessionId)) ? 'recent_sign_in' : 'sign_in_again',
  };
}
