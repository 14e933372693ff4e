import { Hono } from 'hono';
import { MetricsQuery } from '#contract/metrics.ts';
import type { AppEnv } from '../../http/env.ts';
import { readQuery } from '../../http/validate.ts';
import { requireUser } from '../../identity/auth.ts';
import type { Services } from '../../platform/context.ts';
import { inProject } from '../../tenancy/access/guard.ts';
import { readMetrics } from './read.ts';

/** How the requests of a project went (PRJ-06). */
export function metricsRoutes(services: Services): Hono<AppEnv> {
  return new Hono<AppEnv>().get('/api/v2/projects/:project/metrics', requireUser(services), async (c) => {
    const { projectId } = await inProject(services, c, 'usage.read');
    return c.json(await readMetrics(services.db, projectId, readQuery(c, MetricsQuery), null));
  });
}
