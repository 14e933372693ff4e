import type { Hono } from 'hono';
import { SPEECH_CALLS } from '#contract/api/speech.ts';
import type { ConcurrencyLimits } from '#contract/usage-logs.ts';
import { Calls } from '../../http/calls.ts';
import type { AppEnv } from '../../http/env.ts';
import type { SpeechServices } from '../services.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { placeOf } from '../../money/limits/admission.ts';
import { readBounds } from '../../money/limits/bounds.ts';
import { readUse } from '../../money/limits/use.ts';
import { projectNotFound } from '../not-found.ts';
import { listUsageLogs } from './queries.ts';

/** Usage logs of the caller's project, and its concurrent streams with their limits. */
export function usageRoutes({
  db,
  clock,
  limitDefaults,
}: Pick<SpeechServices, 'db' | 'clock' | 'limitDefaults'>): Hono<AppEnv> {
  const scope = (running: number, allowed: number | null): ConcurrencyLimits['project'] => ({
    current: { transcribe_concurrent: running, tts_concurrent: 0 },
    limits: { transcribe_concurrent: allowed, tts_concurrent: 0 },
  });
  return new Calls()
    .answer(SPEECH_CALLS.listUsageLogs, ({ c, query }) => listUsageLogs(db, c.var.caller.projectId, query))
    .answer(SPEECH_CALLS.readConcurrencyLimits, async ({ c }) => {
      const place = await placeOf(db, c.var.caller.projectId);
      if (place === undefined) throw projectNotFound();
      const { organization, project } = await readBounds(db, place, limitDefaults);
      const running = await readUse(db, place, 'concurrent_streams', await databaseNow(db, clock));
      return {
        project: scope(running.project, project.concurrent_streams.value),
        organization: scope(running.organization, organization.concurrent_streams.value),
      };
    });
}
