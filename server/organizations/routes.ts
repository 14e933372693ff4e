import { OrganizationCreate, type OrganizationCreated } from '#contract/organizations.ts';
import { Hono } from 'hono';
import type { Services } from '../context.ts';
import { requireUser } from '../http/auth.ts';
import type { AppEnv } from '../http/env.ts';
import { readJson } from '../http/validate.ts';
import { createOrganization } from './queries.ts';

/** Organizations of spec §7. */
export function organizationRoutes(services: Services): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/api/v2/organizations', requireUser(services), async (c) => {
    const wanted = await readJson(c, OrganizationCreate);
    const uuid = await createOrganization(services.db, c.var.user.userId, wanted, services.clock());
    return c.json({ organization: { uuid } } satisfies OrganizationCreated, 201);
  });
}
