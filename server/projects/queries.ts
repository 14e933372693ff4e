import { randomUUID } from 'node:crypto';
import type { ProjectCreate } from '#contract/organizations.ts';
import type { Db } from '../db/open.ts';
import type { Role } from '#contract/roles.ts';

export interface ProjectAccess {
  projectId: string;
  organizationId: string;
  role: Role;
}

/** The projects that a user sees: all of their organizations', but as a member those only that they were added to. */
export function visibleProjects(db: Db, userId: string) {
  return db.selectFrom('projects').innerJoin('memberships', 'memberships.organization_id', 'projects.organization_id')
    .leftJoin('project_members', (join) => join.onRef('project_members.project_id', '=', 'projects.id').on('project_members.user_id', '=', userId))
    .where('memberships.user_id', '=', userId)
    .where((where) => where.or([where('memberships.role', '<>', 'member'), where('project_members.user_id', 'is not', null)]));
}

/** The project, if the user sees it; undefined for others' and unknown ones alike. Both ids are UUIDs. */
export async function projectForUser(db: Db, userId: string, projectUuid: string): Promise<ProjectAccess | undefined> {
  return visibleProjects(db, userId)
    .select(['projects.id as projectId', 'projects.organization_id as organizationId', 'memberships.role as role'])
    .where('projects.id', '=', projectUuid).executeTakeFirst();
}

/** Makes a project, with its maker among those who see it. Returns its id. */
export async function createProject(db: Db, organizationId: string, makerId: string, { name, description }: ProjectCreate, now: Date): Promise<string> {
  const id = randomUUID();
  await db.transaction().execute(async (transaction) => {
    await transaction.insertInto('projects').values({ id, organization_id: organizationId, name, description, created_at: now }).execute();
    await transaction.insertInto('project_members').values({ project_id: id, user_id: makerId, created_at: now }).execute();
  });
  return id;
}
