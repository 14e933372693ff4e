import type { ProjectMember } from '#contract/members.ts';
import { tellAccessEnded } from '../access/ended.ts';
import { revokeMadeKeys } from '../api-keys/queries.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Db } from '../../platform/db/database.ts';
import { membersOf, toMember } from '../members/queries.ts';
import { lockProjectRow } from './locks.ts';
import type { ProjectAccess } from '../../http/env.ts';

/** Those who reach a project: everybody but members, and of these the ones who were added. */
function reaching(db: Db, { projectId, organizationId }: ProjectAccess) {
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

/** Who reaches by role cannot be taken out, whether they were added or not. */
const toProjectMember = (row: Parameters<typeof toMember>[0]): ProjectMember => ({
  ...toMember(row),
  is_added: row.role === 'member',
});

export async function listProjectMembers(db: Db, project: ProjectAccess): Promise<ProjectMember[]> {
  return (await reaching(db, project).execute()).map(toProjectMember);
}

/**
 * Lets somebody of the organization see a project. For one who sees it by role it counts once they are a member.
 * @returns undefined when they are not of the organization
 */
export async function addProjectMember(
  db: Db,
  act: Act,
  project: ProjectAccess,
  userId: string,
): Promise<ProjectMember | undefined> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockProjectRow(transaction, project.projectId, 'change'))) return undefined;
    const member = await membersOf(transaction, project.organizationId)
      .where('memberships.user_id', '=', userId)
      .forKeyShare('memberships')
      .executeTakeFirst();
    if (!member) return undefined;
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

/** Whether somebody reaches a project. */
export async function isProjectMember(db: Db, project: ProjectAccess, userId: string): Promise<boolean> {
  return (await reaching(db, project).where('memberships.user_id', '=', userId).executeTakeFirst()) !== undefined;
}

/** Takes out somebody who was added; with `revokesKeys` the keys of the project that they made end, too. False for anybody else. */
export async function removeProjectMember(
  db: Db,
  act: Act,
  project: ProjectAccess,
  { userId, revokesKeys }: { userId: string; revokesKeys: boolean },
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockProjectRow(transaction, project.projectId, 'change'))) return false;
    const member = await reaching(transaction, project)
      .where('memberships.user_id', '=', userId)
      .where('memberships.role', '=', 'member')
      .executeTakeFirst();
    if (!member) return false;
    await transaction
      .deleteFrom('project_members')
      .where('project_id', '=', project.projectId)
      .where('user_id', '=', userId)
      .execute();
    if (revokesKeys)
      await revokeMadeKeys(transaction, act, {
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
    await tellAccessEnded(transaction);
    return true;
  });
}
