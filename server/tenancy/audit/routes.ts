import { ORGANIZATION_CALLS } from '#contract/api/organizations.ts';
import type { Hono } from 'hono';
import { memberCalls } from '../access/guard.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { pageOf } from '../../platform/paging.ts';
import { listAudit } from './log.ts';

/** The audit log of an organization. */
export const auditRoutes = (services: Services): Hono<AppEnv> =>
  memberCalls(services).answer(ORGANIZATION_CALLS.listAudit, ({ organization, query }) =>
    listAudit(services.db, organization.organizationId, pageOf(query)),
  );
