import type { Dashboard } from '#contract/dashboard.ts';
import type { Db } from '../db/open.ts';
import { visibleProjects } from '../projects/queries.ts';
import type { Prices } from '../usage/prices.ts';
import { totalCost } from '../usage/report.ts';

/** Sums of this month, UTC, over the projects that a user sees (ORG-04). */
export async function readDashboard(db: Db, userId: string, organizationId: string, { now, prices }: { now: Date; prices: Prices }): Promise<Dashboard> {
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  const rows = await visibleProjects(db, userId)
    .leftJoin('usage_logs', (join) => join.onRef('usage_logs.project_id', '=', 'projects.id').on('usage_logs.ended_at', '>=', start).on('usage_logs.ended_at', '<=', now))
    .select((eb) => [
      'projects.id as uuid', 'projects.name',
      eb.fn.count('usage_logs.id').as('requests'),
      eb.fn.sum('usage_logs.input_audio_ms').as('audio_ms'),
      eb.fn.sum('usage_logs.cost_micros').as('cost_micros'),
      eb.selectFrom('usage_logs as all').select((all) => all.fn.max('all.ended_at').as('last')).whereRef('all.project_id', '=', 'projects.id').as('last_used_at'),
    ])
    .where('projects.organization_id', '=', organizationId)
    .groupBy(['projects.id', 'projects.name', 'projects.position']).orderBy('projects.position').execute();
  const projects = rows.map(({ uuid, name, requests, audio_ms, cost_micros, last_used_at }): Dashboard['projects'][number] => ({
    uuid, name, requests: Number(requests), audio_ms: Number(audio_ms ?? 0), cost_micros: totalCost(cost_micros === null ? null : Number(cost_micros), prices), last_used_at: last_used_at?.toISOString() ?? null,
  }));
  const { members } = await db.selectFrom('memberships').select((eb) => eb.fn.countAll().as('members')).where('organization_id', '=', organizationId).executeTakeFirstOrThrow();
  const sum = (field: 'requests' | 'audio_ms'): number => projects.reduce((total, project) => total + project[field], 0);
  return {
    period: { start: start.toISOString(), end: now.toISOString() },
    totals: { requests: sum('requests'), audio_ms: sum('audio_ms'), cost_micros: projects.reduce<number | null>((total, { cost_micros }) => (cost_micros === null ? total : (total ?? 0) + cost_micros), totalCost(null, prices)) },
    projects,
    members: Number(members),
  };
}
