import { sql, type RawBuilder } from 'kysely';
import type { BillingCost, BillingReport, BillingReportRequest } from '#contract/billing.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import type { Db } from '../../platform/db/database.ts';
import { listed, msOf, numbersIn } from '../usage/lists.ts';
import { bucketsOf } from '../usage/report.ts';
import { readProjects } from './projects.ts';

const DAY_MS = 86_400_000;

/** The only service so far: all that is billed. */
const SERVICE = 'transcription';

interface Scope {
  organizationId: string;
  start_date: string;
  end_date: string;
  period: UsagePeriod;
  project_ids?: readonly string[] | undefined;
}

type Figures = BillingReport['totals'];

type Project = Pick<BillingReport['series'][number], 'project_uuid' | 'project_name' | 'is_deleted'>;
/** What a project used and cost: in each step, as lists; and with each model. */
type Listed = Project & Record<'step' | keyof Figures, string>;
type CostRow = Project & Figures & Pick<BillingCost['rows'][number], 'kind' | 'model'>;

/** What each project cost, by step (BIL-02). */
export async function readReport(
  db: Db,
  organizationId: string,
  { start_date, end_date, period = 'daily', project_ids }: BillingReportRequest,
): Promise<BillingReport> {
  const asked = { organizationId, start_date, end_date, period, project_ids };
  const step = period === 'monthly' ? sql`date_trunc('month', used.step, 'UTC')` : sql`used.step`;
  const { rows } = await sql<Listed>`${sumsOf(asked, [{ name: 'step', of: step }])}
    select id as project_uuid, name as project_name, is_deleted, ${listed(msOf(sql`step`))} as step, ${listed(sql`requests`)} as requests,
      ${listed(sql`audio_ms`)} as audio_ms, ${listed(sql`cost_micros`)} as cost_micros
    from sums join named on id = project_id where requests > 0
    group by id, name, is_deleted order by name, id`.execute(db);
  const buckets = bucketsOf(asked);
  const places = new Map(buckets.map((start, place) => [start.getTime(), place]));
  const series = rows.map(({ project_uuid, project_name, is_deleted, step: steps, ...lists }) => {
    const at = numbersIn(steps).map((start) => places.get(start ?? 0));
    const column = (list: string): number[] => {
      const numbers = buckets.map(() => 0);
      for (const [row, value] of numbersIn(list).entries()) {
        const place = at[row];
        if (place !== undefined) numbers[place] = value ?? 0;
      }
      return numbers;
    };
    return {
      project_uuid,
      project_name,
      is_deleted,
      service: SERVICE,
      requests: column(lists.requests),
      audio_ms: column(lists.audio_ms),
      cost_micros: column(lists.cost_micros),
    } as const;
  });
  const total = (of: (one: (typeof series)[number]) => number[]): number =>
    series.reduce((sum, one) => of(one).reduce((part, value) => part + value, sum), 0);
  return {
    currency: 'USD',
    start_date,
    end_date,
    period,
    buckets: buckets.map((start) => start.toISOString()),
    series,
    projects: await readProjects(db, organizationId),
    totals: {
      requests: total(({ requests }) => requests),
      audio_ms: total(({ audio_ms }) => audio_ms),
      cost_micros: total(({ cost_micros }) => cost_micros),
    },
  };
}

/** What each project and model cost in a period (BIL-03). */
export async function readCostTable(
  db: Db,
  organizationId: string,
  { start_date, end_date }: { start_date: string; end_date: string },
): Promise<BillingCost> {
  const asked = { organizationId, start_date, end_date, period: 'daily' } as const;
  const { rows } = await sql<CostRow>`${sumsOf(asked, [
    { name: 'kind', of: sql`used.kind` },
    { name: 'model', of: sql`used.model` },
  ])}
    select id as project_uuid, name as project_name, is_deleted, kind, model, requests, audio_ms, cost_micros
    from sums join named on id = project_id where requests > 0 order by name, id, kind, model`.execute(db);
  return {
    currency: 'USD',
    start_date,
    end_date,
    rows: rows.map((row) => ({ ...row, service: SERVICE })),
    totals: totalsOf(rows),
  };
}

const totalsOf = (rows: readonly Figures[]): Figures => ({
  requests: rows.reduce((sum, { requests }) => sum + requests, 0),
  audio_ms: rows.reduce((sum, { audio_ms }) => sum + audio_ms, 0),
  cost_micros: rows.reduce((sum, { cost_micros }) => sum + cost_micros, 0),
});

/**
 * Expressions `named`, the projects, deleted ones among them; and `sums`, one per project and what else is asked for. An empty list of
 * projects means all. Sums are added up before they are named, and no finer than they are told: a year has many rows. Of projects that
 * are a list each is looked up in the index.
 */
function sumsOf(
  { organizationId, start_date, end_date, period, project_ids = [] }: Scope,
  keys: readonly { name: string; of: RawBuilder<unknown> }[],
): RawBuilder<unknown> {
  const rollup = sql.table(period === 'hourly' ? 'usage_hourly' : 'usage_daily');
  return sql`with named as (
      select id, name, is_deleted from (
        select id, name, false as is_deleted, organization_id from projects
        union all select id, name, true, organization_id from deleted_projects
      ) as every
      where organization_id = ${organizationId} and (${project_ids.length === 0} or id = any(${[...project_ids]}::uuid[]))
    ), sums as (
      select used.project_id, ${sql.join(keys.map(({ name, of }) => sql`${of} as ${sql.ref(name)}`))}, sum(used.requests)::bigint as requests,
        sum(used.audio_ms)::bigint as audio_ms, sum(used.cost_micros)::bigint as cost_micros
      from ${rollup} as used
      where used.project_id = any(array(select id from named)) and used.step >= ${new Date(Date.parse(start_date))}
        and used.step < ${new Date(Date.parse(end_date) + DAY_MS)}
      group by used.project_id, ${sql.join(keys.map(({ of }) => of))}
    )`;
}
