import { Hono } from 'hono';
import { UsageLogQuery, type ConcurrencyLimits } from '#contract/usage-logs.ts';
import type { AppEnv } from '../../http/env.ts';
import { readQuery } from '../../http/validate.ts';
import type { SpeechServices } from '../services.ts';
import { countRunningStreams } from '../../money/usage/concurrency.ts';
import { listUsageLogs } from './queries.ts';

/** What the caller's project has used, and how many streams it runs and may run. */
export function usageRoutes({
  db,
  clock,
  liveLimits,
}: Pick<SpeechServices, 'db' | 'clock' | 'liveLimits'>): Hono<AppEnv> {
  const scope = (running: number, allowed: number): ConcurrencyLimits['project'] => ({
    current: { transcribe_concurrent: running, tts_concurrent: 0 },
    limits: { transcribe_concurrent: allowed, tts_concurrent: 0 },
  });
  return new Hono<AppEnv>()
    .get('/usage-logs', async (c) =>
      c.json(await listUsageLogs(db, c.var.caller.projectId, readQuery(c, UsageLogQuery))),
    )
    .get('/concurrency-limits', async (c) => {
      const running = await countRunningStreams(db, c.var.caller.projectId, clock());
      return c.json({
        project: scope(running.project, liveLimits.concurrentStreams),
        organization: scope(running.organization, liveLimits.organizationStreams),
      } satisfies ConcurrencyLimits);
    });
}
