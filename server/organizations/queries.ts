import { randomUUID } from 'node:crypto';
import type { Membership, OrganizationCreate, Project } from '#contract/organizations.ts';
import type { Db } from '../db/open.ts';
import type { Role } from '#contract/roles.ts';
import { visibleProjects } from '../projects/queries.ts';

/** Organizations of a user with the projects that they see, oldest first. */
export async function membershipsOf(db: Db, userId: string): Promise<Membership[]> {
  const rows = await db.selectFrom('organizations').innerJoin('memberships', 'memberships.organization_id', 'organizations.id')
    .select(['organizations.id as uuid', 'organizations.name', 'organizations.contact_email', 'organizations.feature_flags', 'memberships.role'])
    .where('memberships.user_id', '=', userId).orderBy('organizations.position').execute();
  const projects = await visibleProjects(db, userId).select(['projects.id as uuid', 'projects.name', 'projects.organization_id']).orderBy('projects.position').execute();
  const byOrganization = new Map(rows.map(({ uuid }): [string, Project[]] => [uuid, []]));
  for (const { organization_id, uuid, name } of projects) byOrganization.get(organization_id)?.push({ uuid, name });
  return rows.map(({ role, ...organization }) => ({ organization, role, projects: byOrganization.get(organization.uuid) ?? [] }));
}

/** Makes an organization with its owner. Returns its id. */
export async function createOrganization(db: Db, ownerId: string, { name, contact_email }: OrganizationCreate, now: Date): Promise<string> {
  const id = randomUUID();
  await db.transaction().execute(async (transaction) => {
    await transaction.insertInto('organizations').values({ id, name, contact_email, feature_flags: [], created_at: now }).execute();
    await transaction.insertInto('memberships').values({ organization_id: id, user_id: ownerId, role: 'owner', created_at: now }).execute();
  });
  return id;
}

/** The role of a user in an organization; undefined when it is not theirs or does not exist. Both ids are UUIDs. */
export async function roleIn(db: Db, userId: string, organizationId: string): Promise<Role | undefined> {
  const row = await db.selectFrom('memberships').select('role').where('organization_id', '=', organizationId).where('user_id', '=', userId).executeTakeFirst();
  return row?.role;
}
