import type { Hono } from 'hono';
import { PROJECT_CALLS } from '#contract/api/projects.ts';
import type { AppEnv } from '../../http/env.ts';
import type { Services } from '../../platform/context.ts';
import { memberCalls } from '../../tenancy/access/guard.ts';
import { readBounds } from '../limits/bounds.ts';
import type { LimitDefaults } from '../limits/defaults.ts';
import { readMetrics } from './read.ts';

/** How the requests of a project went (PRJ-06). */
export function metricsRoutes(services: Services, limitDefaults: LimitDefaults): Hono<AppEnv> {
  const { reports: db } = services.database;
  return memberCalls(services).answer(PROJECT_CALLS.readMetrics, async ({ project, query }) => {
    const { project: limits } = await readBounds(db, project, limitDefaults);
    return readMetrics(db, project.projectId, query, limits.concurrent_streams.value);
  });
}
