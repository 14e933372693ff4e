import { sql } from 'kysely';
import type { BillingReport } from '#contract/billing.ts';
import type { Db } from '../../platform/db/database.ts';

/** The projects that a report can cover, including deleted ones, by name. */
export async function readProjects(db: Db, organizationId: string): Promise<BillingReport['projects']> {
  const rows = await db
    .selectFrom('projects')
    .select(['id', 'name', sql<boolean>`false`.as('is_deleted')])
    .where('organization_id', '=', organizationId)
    .unionAll(
      db
        .selectFrom('deleted_projects')
        .select(['id', 'name', sql<boolean>`true`.as('is_deleted')])
        .where('organization_id', '=', organizationId),
    )
    .orderBy('name')
    .orderBy('id')
    .execute();
  return rows.map(({ id, ...row }) => ({ uuid: id, ...row }));
}
