import { PROJECT_CALLS } from '#contract/api/projects.ts';
import type { Hono } from 'hono';
import { memberCalls } from '../access/guard.ts';
import { listMemberKeys } from '../api-keys/queries.ts';
import { actOf } from '../access/act.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { deleteProject, type CancelOnDelete } from './delete.ts';
import { addProjectMember, isProjectMember, listProjectMembers, removeProjectMember } from './members.ts';
import { createProject, listProjects, readProject, updateProject } from './queries.ts';

/** Projects and their people (PRJ-01, PRJ-02). */
export function projectRoutes(services: Services, cancelOnDelete: CancelOnDelete): Hono<AppEnv> {
  const { db, clock } = services;
  return memberCalls(services)
    .answer(PROJECT_CALLS.listProjects, async ({ c, organization }) => ({
      projects: await listProjects(db, c.var.user.userId, organization.organizationId),
    }))
    .answer(PROJECT_CALLS.createProject, async ({ c, organization, body }) => ({
      project: { uuid: await createProject(db, actOf(c, clock), organization.organizationId, body) },
    }))
    .answer(PROJECT_CALLS.readProject, ({ project }) => readProject(db, project.projectId))
    .answer(PROJECT_CALLS.updateProject, ({ c, project, body }) => updateProject(db, actOf(c, clock), project, body))
    .answer(PROJECT_CALLS.deleteProject, ({ c, project }) =>
      deleteProject(db, actOf(c, clock), project, cancelOnDelete),
    )
    .answer(PROJECT_CALLS.listProjectMembers, async ({ project }) => ({ users: await listProjectMembers(db, project) }))
    .answer(PROJECT_CALLS.addProjectMember, ({ c, project, body }) =>
      addProjectMember(db, actOf(c, clock), project, body.user_uuid),
    )
    .answer(PROJECT_CALLS.removeProjectMember, ({ c, project, body }) => {
      const removal = { userId: body.user_uuid, revokesKeys: body.revoke_api_keys === true };
      return removeProjectMember(db, actOf(c, clock), project, removal);
    })
    .answer(PROJECT_CALLS.listMadeProjectKeys, async ({ project, param }) => {
      const [userId, { organizationId, projectId }] = [param('user'), project];
      if (!(await isProjectMember(db, project, userId))) return undefined;
      return { api_keys: await listMemberKeys(db, { userId, organizationId, projectId }) };
    });
}
