import type { ProjectMember } from '#contract/members.ts';
import { notFound, type Refusal } from '../../platform/refusal.ts';
import { announceAccessEnded } from '../access/ended.ts';
import { revokeMemberKeys } from '../api-keys/queries.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Db } from '../../platform/db/database.ts';
import { membersOf, toMember } from '../members/queries.ts';
import { lockProjectRow } from './locks.ts';
import type { ProjectAccess } from '../../platform/callers.ts';

/** A query for the people who see a project: members only if they were added, all other roles always. */
function withAccess(db: Db, { projectId, organizationId }: ProjectAccess) {
  return membersOf(db, organizationId)
    .leftJoin('project_members', (join) =>
      join
        .onRef('project_members.user_id', '=', 'memberships.user_id')
        .on('project_members.project_id', '=', projectId),
    )
    .where((where) =>
      where.or([where('memberships.role', '<>', 'member'), where('project_members.user_id', 'is not', null)]),
    );
}

/** `is_added` says whether the person can be removed: not if they see the project because of their role. */
const toProjectMember = (row: Parameters<typeof toMember>[0]): ProjectMember => ({
  ...toMember(row),
  is_added: row.role === 'member',
});

export async function listProjectMembers(db: Db, project: ProjectAccess): Promise<ProjectMember[]> {
  return (await withAccess(db, project).execute()).map(toProjectMember);
}

const notInOrganization = (): Refusal => notFound('This person is not a member of the organization.');
const notAdded = (): Refusal => notFound('This person was not added to the project.');

/**
 * Adds somebody of the organization to a project. For other roles than member it has no effect until they become one.
 * @throws Refusal not_found if they do not belong to the organization
 */
export async function addProjectMember(
  db: Db,
  act: Act,
  project: ProjectAccess,
  userId: string,
): Promise<ProjectMember> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockProjectRow(transaction, project.projectId, 'change'))) throw notInOrganization();
    const member = await membersOf(transaction, project.organizationId)
      .where('memberships.user_id', '=', userId)
      .forKeyShare('memberships')
      .executeTakeFirst();
    if (!member) throw notInOrganization();
    const added = await transaction
      .insertInto('project_members')
      .values({ project_id: project.projectId, user_id: userId, created_at: act.at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('user_id')
      .executeTakeFirst();
    if (added)
      await recordAudit(transaction, act, {
        organizationId: project.organizationId,
        action: 'project_member.added',
        subject: member.email,
        project: project.name,
      });
    return toProjectMember(member);
  });
}

/** Whether somebody sees a project. */
export async function isProjectMember(db: Db, project: ProjectAccess, userId: string): Promise<boolean> {
  return (await withAccess(db, project).where('memberships.user_id', '=', userId).executeTakeFirst()) !== undefined;
}

/** Removes an added member; `revokesKeys` revokes the project's keys that they made. @throws Refusal not_found for anybody else */
export async function removeProjectMember(
  db: Db,
  act: Act,
  project: ProjectAccess,
  { userId, revokesKeys }: { userId: string; revokesKeys: boolean },
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!(await lockProjectRow(transaction, project.projectId, 'change'))) throw notAdded();
    const member = await withAccess(transaction, project)
      .where('memberships.user_id', '=', userId)
      .where('memberships.role', '=', 'member')
      .executeTakeFirst();
    if (!member) throw notAdded();
    await transaction
      .deleteFrom('project_members')
      .where('project_id', '=', project.projectId)
      .where('user_id', '=', userId)
      .execute();
    if (revokesKeys)
      await revokeMemberKeys(transaction, act, {
        userId,
        organizationId: project.organizationId,
        projectId: project.projectId,
      });
    await recordAudit(transaction, act, {
      organizationId: project.organizationId,
      action: 'project_member.removed',
      subject: member.email,
      project: project.name,
    });
    await announceAccessEnded(transaction);
  });
}
