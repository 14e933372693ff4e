import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { PROJECTS_MAX, type ProjectCreate, type ProjectDetails, type ProjectUpdate } from '#contract/organizations.ts';
import { may } from '#contract/roles.ts';
import { changesOf, recordAudit, type Act } from '../audit/log.ts';
import type { ProjectAccess, SignedIn } from '../../platform/callers.ts';
import { lastingSession, type AccessClaims } from '../../identity/auth.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { limitReached } from '../../platform/refusal.ts';
import { organizationNotFound } from '../not-found.ts';

/** A query for the projects that a user sees: as a member those that they were added to, in other roles all. */
export function visibleProjects(db: Db, userId: string) {
  return db
    .selectFrom('projects')
    .innerJoin('memberships', 'memberships.organization_id', 'projects.organization_id')
    .leftJoin('project_members', (join) =>
      join.onRef('project_members.project_id', '=', 'projects.id').on('project_members.user_id', '=', userId),
    )
    .where('memberships.user_id', '=', userId)
    .where((where) =>
      where.or([where('memberships.role', '<>', 'member'), where('project_members.user_id', 'is not', null)]),
    );
}

/** Deleted projects whose usage a user sees. Members see none: nothing says to which they had been added. */
export function visibleDeletedProjects(db: Db, userId: string) {
  return db
    .selectFrom('deleted_projects')
    .innerJoin('memberships', 'memberships.organization_id', 'deleted_projects.organization_id')
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '<>', 'member');
}

/** The project, if the user sees it; else undefined. Both ids must be UUIDs. */
export async function projectForUser(db: Db, userId: string, projectUuid: string): Promise<ProjectAccess | undefined> {
  return visibleProject(db, userId, projectUuid).executeTakeFirst();
}

function visibleProject(db: Db, userId: string, projectUuid: string) {
  return visibleProjects(db, userId)
    .select([
      'projects.id as projectId',
      'projects.organization_id as organizationId',
      'projects.name',
      'memberships.role',
    ])
    .where('projects.id', '=', projectUuid);
}

/** Reads a token's user and the project if they see it, in one query; undefined if the session has ended. */
export async function memberOfProject(
  db: Db,
  claims: AccessClaims,
  projectUuid: string,
): Promise<{ user: SignedIn; project: ProjectAccess | undefined } | undefined> {
  const row = await lastingSession(db, claims)
    .leftJoin(visibleProject(db, claims.userId, projectUuid).as('project'), (join) => join.onTrue())
    .select(['users.email', 'project.projectId', 'project.organizationId', 'project.name', 'project.role'])
    .executeTakeFirst();
  if (!row) return undefined;
  const { email, projectId, organizationId, name, role } = row;
  const isThere = projectId !== null && organizationId !== null && name !== null && role !== null;
  return { user: { ...claims, email }, project: isThere ? { projectId, organizationId, name, role } : undefined };
}

/** Whether a user sees the project and may use its playground. */
export async function mayUsePlayground(db: Db, userId: string, projectUuid: string): Promise<boolean> {
  const project = await projectForUser(db, userId, projectUuid);
  return project !== undefined && may(project.role, 'playground.use');
}

/** Makes a project, and adds its maker. Returns its id. @throws Refusal limit_exceeded, not_found */
export async function createProject(db: Db, act: Act, organizationId: string, wanted: ProjectCreate): Promise<string> {
  return db.transaction().execute((transaction) => addProject(transaction, act, organizationId, wanted));
}

/** {@link createProject} as part of a transaction. */
export async function addProject(
  transaction: Transaction<Schema>,
  act: Act,
  organizationId: string,
  { name, description }: ProjectCreate,
): Promise<string> {
  const id = randomUUID();
  // The lock makes projects of an organization one at a time, so that the count below holds.
  const organization = await transaction
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', organizationId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!organization) throw organizationNotFound();
  const { projects } = await transaction
    .selectFrom('projects')
    .select((eb) => eb.fn.countAll().as('projects'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (Number(projects) >= PROJECTS_MAX)
    throw limitReached(
      `This organization has ${PROJECTS_MAX} projects, the most there can be. Delete one that is no longer needed.`,
    );
  await transaction
    .insertInto('projects')
    .values({ id, organization_id: organizationId, name, description, created_at: act.at })
    .execute();
  await transaction
    .insertInto('project_members')
    .values({ project_id: id, user_id: act.userId, created_at: act.at })
    .execute();
  await recordAudit(transaction, act, { organizationId, action: 'project.created', subject: name, project: name });
  return id;
}

const DETAILS = ['projects.id as uuid', 'projects.name', 'projects.description', 'projects.created_at'] as const;
const toDetails = ({
  created_at,
  ...rest
}: Omit<ProjectDetails, 'created_at'> & { created_at: Date }): ProjectDetails => ({
  ...rest,
  created_at: created_at.toISOString(),
});

/** Projects of an organization that a user sees, oldest first. */
export async function listProjects(db: Db, userId: string, organizationId: string): Promise<ProjectDetails[]> {
  const rows = await visibleProjects(db, userId)
    .select(DETAILS)
    .where('projects.organization_id', '=', organizationId)
    .orderBy('projects.position')
    .execute();
  return rows.map(toDetails);
}

/** Undefined if the project is gone. */
export async function readProject(db: Db, projectId: string): Promise<ProjectDetails | undefined> {
  const row = await db.selectFrom('projects').select(DETAILS).where('id', '=', projectId).executeTakeFirst();
  return row && toDetails(row);
}

/** Undefined if the project is gone. */
export async function updateProject(
  db: Db,
  act: Act,
  { projectId, organizationId }: ProjectAccess,
  { name, description }: ProjectUpdate,
): Promise<ProjectDetails | undefined> {
  return db.transaction().execute(async (transaction) => {
    const before = await transaction
      .selectFrom('projects')
      .select(['name', 'description'])
      .where('id', '=', projectId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!before) return undefined;
    const changes = [
      changesOf({ name: [before.name, name] }),
      ...(before.description === description ? [] : ['description']),
    ].filter((change) => change !== '');
    if (changes.length > 0) {
      await transaction.updateTable('projects').set({ name, description }).where('id', '=', projectId).execute();
      await recordAudit(transaction, act, {
        organizationId,
        action: 'project.updated',
        subject: name,
        project: name,
        detail: changes.join('; '),
      });
    }
    return readProject(transaction, projectId);
  });
}
