import { sql } from 'kysely';
import type { Dashboard } from '#contract/dashboard.ts';
import { may } from '#contract/roles.ts';
import type { OrganizationAccess } from '../../platform/callers.ts';
import type { Db } from '../../platform/db/database.ts';
import { visibleDeletedProjects, visibleProjects } from '../../tenancy/projects/queries.ts';
import { availableMicros } from '../ledger/accounts.ts';
import { isBudgetReached } from '../limits/budget.ts';
import type { LimitDefaults } from '../limits/defaults.ts';
import { isExhausted } from '../ledger/admission.ts';
import { hasPrices } from './price-lists.ts';
import { COST, totalCost } from './report.ts';

/** Sums of this month (UTC) over the projects that a user may see (ORG-04), including deleted ones (DAT-07). */
export async function readDashboard(
  db: Db,
  userId: string,
  { organizationId, role }: OrganizationAccess,
  limitDefaults: LimitDefaults,
  now: Date,
): Promise<Dashboard> {
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()));
  const named = visibleProjects(db, userId)
    .select([
      'projects.id as uuid',
      'projects.name',
      'projects.position',
      sql<Date | null>`null::timestamptz`.as('deleted_at'),
    ])
    .where('projects.organization_id', '=', organizationId)
    .unionAll(
      visibleDeletedProjects(db, userId)
        .select([
          'deleted_projects.id as uuid',
          'deleted_projects.name',
          sql<number>`0`.as('position'),
          'deleted_projects.deleted_at',
        ])
        .where('deleted_projects.organization_id', '=', organizationId),
    );
  const rows = await db
    .selectFrom(named.as('named'))
    .leftJoin('usage_daily as used', (join) =>
      join.onRef('used.project_id', '=', 'named.uuid').on('used.step', '>=', start).on('used.step', '<=', now),
    )
    .select((eb) => [
      'named.uuid',
      'named.name',
      'named.deleted_at',
      eb.fn.sum('used.requests').as('requests'),
      eb.fn.sum('used.audio_ms').as('audio_ms'),
      COST.as('cost_micros'),
      eb
        .selectFrom('usage_rows as row')
        .select('row.ended_at')
        .whereRef('row.project_id', '=', 'named.uuid')
        .orderBy('row.ended_at', 'desc')
        .limit(1)
        .as('last_used_at'),
    ])
    .groupBy(['named.uuid', 'named.name', 'named.position', 'named.deleted_at'])
    // In descending order nulls come first, so projects that are not deleted.
    .orderBy('named.deleted_at', 'desc')
    .orderBy('named.position')
    .execute();
  const isPriced = await hasPrices(db, now);
  const used = rows.map(({ uuid, name, deleted_at, requests, audio_ms, cost_micros, last_used_at }) => ({
    isDeleted: deleted_at !== null,
    project: {
      uuid,
      name,
      requests: Number(requests ?? 0),
      audio_ms: Number(audio_ms ?? 0),
      cost_micros: totalCost(cost_micros === null ? null : Number(cost_micros), isPriced),
      last_used_at: last_used_at?.toISOString() ?? null,
    } satisfies Dashboard['projects'][number],
  }));
  const { members } = await db
    .selectFrom('memberships')
    .select((eb) => eb.fn.countAll().as('members'))
    .where('organization_id', '=', organizationId)
    .executeTakeFirstOrThrow();
  const steps = await readSteps(db, userId, organizationId);
  const sum = (field: 'requests' | 'audio_ms'): number =>
    used.reduce((total, { project }) => total + project[field], 0);
  return {
    period: { start: start.toISOString(), end: now.toISOString() },
    totals: {
      requests: sum('requests'),
      audio_ms: sum('audio_ms'),
      cost_micros: used.reduce<number | null>(
        (total, { project: { cost_micros } }) => (cost_micros === null ? total : (total ?? 0) + cost_micros),
        totalCost(null, isPriced),
      ),
    },
    projects: used.flatMap(({ isDeleted, project }) => (isDeleted ? [] : [project])),
    deleted_projects: used.flatMap(({ isDeleted, project }) => (isDeleted && project.requests > 0 ? [project] : [])),
    steps,
    members: Number(members),
    balance_micros:
      isPriced && may(role, 'billing.read') ? ((await availableMicros(db, organizationId)) ?? null) : null,
    is_exhausted: isPriced && (await isExhausted(db, organizationId)),
    is_budget_reached: isPriced && (await isBudgetReached(db, organizationId, limitDefaults, now)),
  };
}

/** The first steps that are done in the projects that a user may see. */
async function readSteps(db: Db, userId: string, organizationId: string): Promise<Dashboard['steps']> {
  const seen = visibleProjects(db, userId).select('projects.id').where('projects.organization_id', '=', organizationId);
  const steps = await db
    .with('seen', () => seen)
    .selectNoFrom(({ exists, selectFrom }) => {
      const completed = (kind: 'async' | 'real_time') =>
        exists(
          // Kept when rows and days of the logs are removed for their age.
          selectFrom('usage_daily as used')
            .innerJoin('seen', 'seen.id', 'used.project_id')
            .select('used.project_id')
            .where('used.kind', '=', kind)
            .where(({ eb }) => eb('used.requests', '>', eb('used.errors', '+', eb.ref('used.cancelled')))),
        );
      const keys = selectFrom('api_keys').innerJoin('seen', 'seen.id', 'api_keys.project_id').select('api_keys.id');
      return [
        completed('async').as('transcribed'),
        completed('real_time').as('spoken'),
        exists(keys).as('key_created'),
      ];
    })
    .executeTakeFirstOrThrow();
  return {
    transcribed: Boolean(steps.transcribed),
    spoken: Boolean(steps.spoken),
    key_created: Boolean(steps.key_created),
  };
}
