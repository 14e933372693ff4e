import { Hono } from 'hono';
import { inOrganization } from '../access/guard.ts';
import type { Services } from '../../platform/context.ts';
import { requireUser } from '../../identity/auth.ts';
import type { AppEnv } from '../../http/env.ts';
import { readPage } from '../../http/paging.ts';
import { listAudit } from './log.ts';

/** What was changed in an organization, and by whom. */
export function auditRoutes(services: Services): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/api/v2/organizations/:organization/audit', requireUser(services), async (c) => {
    const { organizationId } = await inOrganization(services, c, 'audit.read');
    return c.json(await listAudit(services.db, organizationId, readPage(c)));
  });
}
