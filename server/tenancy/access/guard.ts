import { may, type Action, type Role } from '#contract/roles.ts';
import type { Context } from 'hono';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { permissionDenied } from '../../http/errors.ts';
import { uuidParam } from '../../http/validate.ts';
import { organizationNotFound, projectNotFound } from '../not-found.ts';
import { roleIn } from '../organizations/queries.ts';
import { projectForUser, type ProjectAccess } from '../projects/queries.ts';

export interface OrganizationAccess {
  organizationId: string;
  role: Role;
}

/** @throws ApiProblem 403 permission_denied */
function checkRole(role: Role, action: Action): void {
  if (!may(role, action)) throw permissionDenied();
}

/**
 * The organization of the path, for a signed-in user whose role may do this.
 * @throws ApiProblem 404 for what is malformed, unknown or others', 403 where the role forbids it
 */
export async function inOrganization(
  { db }: Pick<Services, 'db'>,
  c: Context<AppEnv>,
  action: Action,
): Promise<OrganizationAccess> {
  const organizationId = uuidParam(c, 'organization', organizationNotFound());
  const role = await roleIn(db, c.var.user.userId, organizationId);
  if (role === undefined) throw organizationNotFound();
  checkRole(role, action);
  return { organizationId, role };
}

/** The same for the project of the path: one that the user does not see is not there. @throws like {@link inOrganization} */
export async function inProject(
  { db }: Pick<Services, 'db'>,
  c: Context<AppEnv>,
  action: Action,
): Promise<ProjectAccess> {
  const project = await projectForUser(db, c.var.user.userId, uuidParam(c, 'project', projectNotFound()));
  if (!project) throw projectNotFound();
  checkRole(project.role, action);
  return project;
}
