/** Reads latencies from the usage rows: those of few completed requests, and those of requests that did not complete. */
import { sql } from 'kysely';
import { METRICS_LATENCIES, type MetricsLatency } from '#contract/metrics.ts';
import type { UsageService } from '#contract/usage.ts';
import type { Db } from '../../platform/db/database.ts';
import { LATENCY_BOUNDS_MS } from '../usage/rollup.ts';

/** The most completed requests of a period whose percentiles are computed from their rows. */
export const EXACT_MOST = 500;

interface Window {
  projectId: string;
  begin: Date;
  end: Date;
}

/** The latencies of a completed request, milliseconds; null if unknown. */
export type Timed = { service: UsageService; model: string; ended_at: Date } & Record<MetricsLatency, number | null>;

/** The completed requests of a period, up to one more than {@link EXACT_MOST}. */
export const readTimed = (db: Db, { projectId, begin, end }: Window): Promise<Timed[]> =>
  db
    .selectFrom('usage_rows')
    .select(['kind as service', 'model', 'ended_at'])
    .select(['queue_ms as queue', 'processing_ms as processing', 'first_word_ms as first_word', 'finals_ms as finals'])
    .where('project_id', '=', projectId)
    .where('ended_at', '>=', begin)
    .where('ended_at', '<', end)
    .where('status', '=', 'completed')
    .limit(EXACT_MOST + 1)
    .execute();

/** Latencies of one class that the rollups count although their requests did not complete. */
export interface Incomplete {
  service: UsageService;
  model: string;
  step: Date;
  latency: MetricsLatency;
  class: number;
  requests: number | string;
}

/** Counts the latencies of failed and cancelled requests by class. */
export async function readIncomplete(
  db: Db,
  { projectId, begin, end, isHourly }: Window & { isHourly: boolean },
): Promise<readonly Incomplete[]> {
  const measures = sql.join(METRICS_LATENCIES.map((name) => sql`(${sql.lit(name)}, ${sql.ref(`${name}_ms`)})`));
  const { rows } = await sql<Incomplete>`
    select kind as service, model, date_trunc(${sql.lit(isHourly ? 'hour' : 'day')}, ended_at, 'UTC') as step,
      measured.latency, width_bucket(measured.ms, ${sql.raw(`array[${LATENCY_BOUNDS_MS.join()}]`)}) as class,
      count(*) as requests
    from usage_rows cross join lateral (values ${measures}) as measured (latency, ms)
    where project_id = ${projectId} and ended_at >= ${begin} and ended_at < ${end} and status <> 'completed'
      and measured.ms is not null
    group by 1, 2, 3, 4, 5`.execute(db);
  return rows;
}
