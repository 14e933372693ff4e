import { randomUUID } from 'node:crypto';
import type { ProjectCreate } from '#contract/organizations.ts';
import type { Db } from '../db/open.ts';
import type { Role } from '../db/core-tables.ts';

export interface ProjectAccess {
  projectId: string;
  organizationId: string;
  role: Role;
}

/** The project, if the user belongs to its organization; undefined for others' and unknown ones alike. Both ids are UUIDs. */
export async function projectForUser(db: Db, userId: string, projectUuid: string): Promise<ProjectAccess | undefined> {
  return db.selectFrom('projects').innerJoin('memberships', 'memberships.organization_id', 'projects.organization_id')
    .select(['projects.id as projectId', 'projects.organization_id as organizationId', 'memberships.role as role'])
    .where('projects.id', '=', projectUuid).where('memberships.user_id', '=', userId).executeTakeFirst();
}

/** Makes a project. Returns its id. */
export async function createProject(db: Db, organizationId: string, { name, description }: ProjectCreate, now: Date): Promise<string> {
  const id = randomUUID();
  await db.insertInto('projects').values({ id, organization_id: organizationId, name, description, created_at: now }).execute();
  return id;
}
