import { may, type Action, type Role } from '#contract/roles.ts';
import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { bearerOf } from '../../http/bearer.ts';
import { Calls } from '../../http/calls.ts';
import type { AppEnv, OrganizationAccess, ProjectAccess, SignedIn } from '../../http/env.ts';
import { permissionDenied, unauthenticated } from '../../http/errors.ts';
import { uuidOf } from '../../http/validate.ts';
import { lastingSession, readAccess, type AccessClaims } from '../../identity/auth.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { MISSING, organizationNotFound, projectNotFound } from '../not-found.ts';
import { memberOfOrganization } from '../organizations/queries.ts';
import { memberOfProject } from '../projects/queries.ts';

interface Member {
  user: SignedIn;
  organization?: OrganizationAccess | undefined;
  project?: ProjectAccess | undefined;
}

/**
 * Lets only signed-in users through, and finds in the same query what they are in the place that the path names: in
 * `c.var.user`, and for {@link inOrganization} and {@link inProject}. 401 otherwise.
 */
export function requireMember(services: Services) {
  return createMiddleware<AppEnv>(async (c, next) => {
    const token = bearerOf(c.req.header('authorization'));
    const claims = token === undefined ? undefined : await readAccess(services, token);
    const member = claims && (await memberOf(services.db, c, claims));
    if (!member) throw unauthenticated();
    c.set('user', member.user);
    c.set('organization', member.organization);
    c.set('project', member.project);
    await next();
  });
}

/** Calls of people, in organizations and projects. */
export const memberCalls = (services: Services): Calls =>
  new Calls({ guard: requireMember(services), missing: MISSING });

async function memberOf(db: Db, c: Context<AppEnv>, claims: AccessClaims): Promise<Member | undefined> {
  const [organizationId, projectId] = [uuidOf(c, 'organization'), uuidOf(c, 'project')];
  if (organizationId !== undefined) return memberOfOrganization(db, claims, organizationId);
  if (projectId !== undefined) return memberOfProject(db, claims, projectId);
  const row = await lastingSession(db, claims).select('users.email').executeTakeFirst();
  return row && { user: { ...claims, ...row } };
}

/** @throws ApiProblem 403 permission_denied */
function checkRole(role: Role, action: Action): void {
  if (!may(role, action)) throw permissionDenied();
}

/**
 * The organization of the path, for somebody whose role may do this; behind {@link requireMember}.
 * @throws ApiProblem 404 for what is malformed, unknown or others', 403 where the role forbids it
 */
export function inOrganization(c: Context<AppEnv>, action: Action): OrganizationAccess {
  const { organization } = c.var;
  if (!organization) throw organizationNotFound();
  checkRole(organization.role, action);
  return organization;
}

/** The same for the project of the path: one that they do not see is not there. @throws like {@link inOrganization} */
export function inProject(c: Context<AppEnv>, action: Action): ProjectAccess {
  const { project } = c.var;
  if (!project) throw projectNotFound();
  checkRole(project.role, action);
  return project;
}
