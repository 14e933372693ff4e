import { type ProjectHome, RECENT } from '#contract/project-home.ts';
import type { Db } from '../../platform/db/database.ts';
import { hasPrices } from './price-lists.ts';
import { COST, totalCost } from './report.ts';

type HomeRequest = {
  projectId: string;
  /** Whether the caller may see what was transcribed. */
  withRecent: boolean;
  now: Date;
};

/** First steps of a project that are done, its use this month (UTC), and its last transcriptions (ONB-20). */
export async function readProjectHome(db: Db, { projectId, withRecent, now }: HomeRequest): Promise<ProjectHome> {
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  const [month, steps, recent, isPriced] = await Promise.all([
    db
      .selectFrom('usage_daily as used')
      .select(({ fn }) => [
        fn.sum('used.requests').as('requests'),
        fn.sum('used.audio_ms').as('audio_ms'),
        COST.as('cost_micros'),
      ])
      .where('used.project_id', '=', projectId)
      .where('used.step', '>=', start)
      .where('used.step', '<=', now)
      .executeTakeFirstOrThrow(),
    db
      .selectNoFrom(({ exists, selectFrom }) => [
        exists(
          // Kept when rows and days of the logs are removed for their age.
          selectFrom('usage_daily')
            .select('project_id')
            .where('project_id', '=', projectId)
            .where(({ eb }) => eb('requests', '>', eb('errors', '+', eb.ref('cancelled')))),
        ).as('transcribed'),
        exists(selectFrom('api_keys').select('id').where('project_id', '=', projectId)).as('key_created'),
        exists(
          selectFrom('api_keys').select('id').where('project_id', '=', projectId).where('last_used_at', 'is not', null),
        ).as('key_used'),
      ])
      .executeTakeFirstOrThrow(),
    withRecent ? readRecent(db, projectId) : null,
    hasPrices(db, now),
  ]);
  return {
    period: { start: start.toISOString(), end: now.toISOString() },
    totals: {
      requests: Number(month.requests ?? 0),
      audio_ms: Number(month.audio_ms ?? 0),
      cost_micros: totalCost(month.cost_micros === null ? null : Number(month.cost_micros), isPriced),
    },
    steps: {
      transcribed: Boolean(steps.transcribed),
      key_created: Boolean(steps.key_created),
      key_used: Boolean(steps.key_used),
    },
    recent,
  };
}

async function readRecent(db: Db, projectId: string): Promise<NonNullable<ProjectHome['recent']>> {
  const rows = await db
    .selectFrom('transcriptions')
    .select(['id', 'filename', 'status', 'error_type', 'created_at', 'audio_duration_ms'])
    .where('project_id', '=', projectId)
    .orderBy('position', 'desc')
    .limit(RECENT)
    .execute();
  return rows.map(({ id, created_at, ...row }) => ({ ...row, uuid: id, created_at: created_at.toISOString() }));
}
