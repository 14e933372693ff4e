import { ProjectCreate, type ProjectCreated } from '#contract/organizations.ts';
import { may } from '#contract/roles.ts';
import { Hono } from 'hono';
import type { Services } from '../context.ts';
import { requireUser } from '../http/auth.ts';
import type { AppEnv } from '../http/env.ts';
import { ApiProblem, notFound } from '../http/errors.ts';
import { readJson, uuidParam } from '../http/validate.ts';
import { roleIn } from '../organizations/queries.ts';
import { createProject } from './queries.ts';

/** Projects of spec §7. */
export function projectRoutes(services: Services): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/api/v2/organizations/:organization/projects', requireUser(services), async (c) => {
    const organizationNotFound = notFound('Organization not found.');
    const organizationId = uuidParam(c, 'organization', organizationNotFound);
    const role = await roleIn(services.db, c.var.user.userId, organizationId);
    if (role === undefined) throw organizationNotFound;
    if (!may(role, 'projects.create')) throw new ApiProblem(403, 'permission_denied', 'Your role may not create projects.');
    const wanted = await readJson(c, ProjectCreate);
    const uuid = await createProject(services.db, organizationId, c.var.user.userId, wanted, services.clock());
    return c.json({ project: { uuid } } satisfies ProjectCreated, 201);
  });
}
