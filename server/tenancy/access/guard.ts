import type { Context } from 'hono';
import { createMiddleware } from 'hono/factory';
import { bearerOf } from '../../http/bearer.ts';
import { Calls } from '../../http/calls.ts';
import type { AppEnv } from '../../http/env.ts';
import type { OrganizationAccess, ProjectAccess, SignedIn } from '../../platform/callers.ts';
import { unauthenticated } from '../../platform/refusal.ts';
import { uuidOf } from '../../http/validate.ts';
import { lastingSession, readAccess, type AccessClaims } from '../../identity/auth.ts';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { missing } from '../not-found.ts';
import { memberOfOrganization } from '../organizations/queries.ts';
import { memberOfProject } from '../projects/queries.ts';

interface Member {
  user: SignedIn;
  organization?: OrganizationAccess | undefined;
  project?: ProjectAccess | undefined;
}

/**
 * Requires a signed-in user. The same query reads their role in the organization or project of the path. Sets
 * `c.var.user`, `c.var.organization` and `c.var.project`. @throws Refusal unauthenticated
 */
function requireMember(services: Services) {
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

/** Routes for signed-in users, with their role in the organization or project of the path. */
export const memberCalls = (services: Services): Calls => new Calls({ guard: requireMember(services), missing });

async function memberOf(db: Db, c: Context<AppEnv>, claims: AccessClaims): Promise<Member | undefined> {
  const [organizationId, projectId] = [uuidOf(c, 'organization'), uuidOf(c, 'project')];
  if (organizationId !== undefined) return memberOfOrganization(db, claims, organizationId);
  if (projectId !== undefined) return memberOfProject(db, claims, projectId);
  const row = await lastingSession(db, claims).select('users.email').executeTakeFirst();
  return row && { user: { ...claims, ...row } };
}
