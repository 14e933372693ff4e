import { Hono } from 'hono';
import { inOrganization, requireMember } from '../access/guard.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { readPage } from '../../http/paging.ts';
import { listAudit } from './log.ts';

/** What was changed in an organization, and by whom. */
export function auditRoutes(services: Services): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/api/v2/organizations/:organization/audit', requireMember(services), async (c) => {
    const { organizationId } = inOrganization(c, 'audit.read');
    return c.json(await listAudit(services.db, organizationId, readPage(c)));
  });
}
