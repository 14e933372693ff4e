import { Hono } from 'hono';
import { MetricsQuery } from '#contract/metrics.ts';
import type { AppEnv } from '../../http/env.ts';
import { readQuery } from '../../http/validate.ts';
import type { Services } from '../../platform/context.ts';
import { inProject, requireMember } from '../../tenancy/access/guard.ts';
import { readBounds } from '../limits/bounds.ts';
import type { LimitDefaults } from '../limits/defaults.ts';
import { readMetrics } from './read.ts';

/** How the requests of a project went (PRJ-06). */
export function metricsRoutes(services: Services, limitDefaults: LimitDefaults): Hono<AppEnv> {
  const { reports: db } = services.database;
  return new Hono<AppEnv>().get('/api/v2/projects/:project/metrics', requireMember(services), async (c) => {
    const place = inProject(c, 'usage.read');
    const asked = readQuery(c, MetricsQuery);
    const { project: limits } = await readBounds(db, place, limitDefaults);
    return c.json(await readMetrics(db, place.projectId, asked, limits.concurrent_streams.value));
  });
}
