import type { MadeApiKeys } from '#contract/api-keys.ts';
import {
  ProjectMemberRemoval,
  ProjectMemberRequest,
  type ProjectMember,
  type ProjectMembers,
} from '#contract/members.ts';
import {
  ProjectCreate,
  ProjectUpdate,
  type ProjectCreated,
  type ProjectDetails,
  type Projects,
} from '#contract/organizations.ts';
import { Hono } from 'hono';
import { inOrganization, inProject, requireMember } from '../access/guard.ts';
import { memberNotFound, projectNotFound } from '../not-found.ts';
import { listMadeKeys } from '../api-keys/queries.ts';
import { actOf } from '../audit/log.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { notFound } from '../../http/errors.ts';
import { readJson, uuidParam } from '../../http/validate.ts';
import { deleteProject, type CancelOnDelete } from './delete.ts';
import { addProjectMember, isProjectMember, listProjectMembers, removeProjectMember } from './members.ts';
import { createProject, listProjects, readProject, updateProject } from './queries.ts';

const PROJECTS = '/api/v2/organizations/:organization/projects';
const PROJECT = '/api/v2/projects/:project';
const USERS = `${PROJECT}/users`;

/** Projects of spec §7. */
export function projectRoutes(services: Services, cancelOnDelete: CancelOnDelete): Hono<AppEnv> {
  const { db, clock } = services;
  const signedIn = requireMember(services);
  return new Hono<AppEnv>()
    .get(PROJECTS, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'project.read');
      return c.json({ projects: await listProjects(db, c.var.user.userId, organizationId) } satisfies Projects);
    })
    .post(PROJECTS, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'projects.create');
      const wanted = await readJson(c, ProjectCreate);
      const uuid = await createProject(db, actOf(c, clock), organizationId, wanted);
      return c.json({ project: { uuid } } satisfies ProjectCreated, 201);
    })
    .get(PROJECT, signedIn, async (c) => {
      const { projectId } = inProject(c, 'project.read');
      return c.json(there(await readProject(db, projectId)));
    })
    .put(PROJECT, signedIn, async (c) => {
      const project = inProject(c, 'project.update');
      return c.json(there(await updateProject(db, actOf(c, clock), project, await readJson(c, ProjectUpdate))));
    })
    .delete(PROJECT, signedIn, async (c) => {
      const project = inProject(c, 'project.delete');
      if (!(await deleteProject(db, actOf(c, clock), project, cancelOnDelete))) throw projectNotFound();
      return c.body(null, 204);
    })
    .get(USERS, signedIn, async (c) => {
      const project = inProject(c, 'projectMembers.read');
      return c.json({ users: await listProjectMembers(db, project) } satisfies ProjectMembers);
    })
    .post(USERS, signedIn, async (c) => {
      const project = inProject(c, 'projectMembers.manage');
      const { user_uuid } = await readJson(c, ProjectMemberRequest);
      const member = await addProjectMember(db, actOf(c, clock), project, user_uuid);
      if (!member) throw notFound('This person is not a member of the organization.');
      return c.json(member satisfies ProjectMember, 201);
    })
    .delete(USERS, signedIn, async (c) => {
      const project = inProject(c, 'projectMembers.manage');
      const { user_uuid, revoke_api_keys } = await readJson(c, ProjectMemberRemoval);
      if (
        !(await removeProjectMember(db, actOf(c, clock), project, {
          userId: user_uuid,
          revokesKeys: revoke_api_keys === true,
        }))
      )
        throw notFound('This person was not added to the project.');
      return c.body(null, 204);
    })
    .get(`${USERS}/:user/api-keys`, signedIn, async (c) => {
      const project = inProject(c, 'projectMembers.manage');
      const userId = uuidParam(c, 'user', memberNotFound());
      if (!(await isProjectMember(db, project, userId))) throw memberNotFound();
      return c.json({
        api_keys: await listMadeKeys(db, {
          userId,
          organizationId: project.organizationId,
          projectId: project.projectId,
        }),
      } satisfies MadeApiKeys);
    });
}

/** @throws ApiProblem 404 for one that was deleted meanwhile */
function there(project: ProjectDetails | undefined): ProjectDetails {
  if (!project) throw projectNotFound();
  return project;
}
