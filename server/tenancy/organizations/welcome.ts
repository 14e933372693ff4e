import type { Transaction } from 'kysely';
import { FIRST_ORGANIZATION, FIRST_PROJECT, type Welcome } from '#contract/organizations.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import type { Act } from '../audit/log.ts';
import { addProject } from '../projects/queries.ts';
import { addOrganization } from './queries.ts';

const NOTHING: Welcome = { organization_uuid: null, project_uuid: null };

/**
 * Gives a new account its first organization and project, in one transaction and only once. Answers nulls if it was
 * welcomed before or already belongs to an organization.
 */
export async function welcome(db: Db, act: Act): Promise<Welcome> {
  return db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('users')
      .set({ welcomed_at: act.at })
      .where('id', '=', act.userId)
      .where('welcomed_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return NOTHING;
    const membership = await transaction
      .selectFrom('memberships')
      .select('organization_id')
      .where('user_id', '=', act.userId)
      .executeTakeFirst();
    if (membership !== undefined) return NOTHING;
    const organizationId = await addOrganization(transaction, act, {
      name: FIRST_ORGANIZATION,
      contact_email: act.email,
    });
    const projectId = await addProject(transaction, act, organizationId, { name: FIRST_PROJECT, description: '' });
    return { organization_uuid: organizationId, project_uuid: projectId };
  });
}

/**
 * Notes that members of an organization (all, or one) are new no longer, so that {@link welcome} makes none for them
 * when they lose it. Skips locked accounts: elsewhere an account is locked before its organizations, so waiting for one
 * could deadlock.
 */
export async function endWelcome(
  transaction: Transaction<Schema>,
  at: Date,
  { organizationId, userId }: { organizationId: string; userId?: string },
): Promise<void> {
  await transaction
    .updateTable('users')
    .set({ welcomed_at: at })
    .where('id', 'in', (eb) => {
      const members = eb.selectFrom('memberships').select('user_id').where('organization_id', '=', organizationId);
      return eb
        .selectFrom('users')
        .select('id')
        .where('id', 'in', userId === undefined ? members : members.where('user_id', '=', userId))
        .where('welcomed_at', 'is', null)
        .forNoKeyUpdate()
        .skipLocked();
    })
    .execute();
}
