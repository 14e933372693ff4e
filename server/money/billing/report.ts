import { sql, type RawBuilder } from 'kysely';
import type { BillingCost, BillingReport, BillingReportRequest } from '#contract/billing.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import type { Db } from '../../platform/db/database.ts';
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

/** What a project used and cost, by what else is asked for. */
type Row<Keys> = Keys & Figures & { project_uuid: string; project_name: string; is_deleted: boolean };

/** What each project cost, by step (BIL-02). */
export async function readReport(
  db: Db,
  organizationId: string,
  { start_date, end_date, period = 'daily', project_ids }: BillingReportRequest,
): Promise<BillingReport> {
  const asked = { organizationId, start_date, end_date, period, project_ids };
  const step = period === 'monthly' ? sql`date_trunc('month', used.step, 'UTC')` : sql`used.step`;
  const rows = await readRows<{ step: Date }>(db, asked, [{ name: 'step', of: step }]);
  const buckets = bucketsOf(asked);
  const places = new Map(buckets.map((start, place) => [start.getTime(), place]));
  const series = [...groupBy(rows, ({ project_uuid }) => project_uuid).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const column = (of: (row: Figures) => number): number[] => {
      const numbers = buckets.map(() => 0);
      for (const row of own) {
        const place = places.get(row.step.getTime());
        if (place !== undefined) numbers[place] = (numbers[place] ?? 0) + of(row);
      }
      return numbers;
    };
    const { project_uuid, project_name, is_deleted } = first;
    return {
      project_uuid,
      project_name,
      is_deleted,
      service: SERVICE,
      requests: column(({ requests }) => requests),
      audio_ms: column(({ audio_ms }) => audio_ms),
      cost_micros: column(({ cost_micros }) => cost_micros),
    } as const;
  });
  return {
    currency: 'USD',
    start_date,
    end_date,
    period,
    buckets: buckets.map((start) => start.toISOString()),
    series,
    projects: await readProjects(db, organizationId),
    totals: totalsOf(rows),
  };
}

/** What each project and model cost in a period (BIL-03). */
export async function readCostTable(
  db: Db,
  organizationId: string,
  { start_date, end_date }: { start_date: string; end_date: string },
): Promise<BillingCost> {
  const rows = await readRows<{ kind: 'async' | 'real_time'; model: string }>(
    db,
    { organizationId, start_date, end_date, period: 'daily' },
    [
      { name: 'kind', of: sql`used.kind` },
      { name: 'model', of: sql`used.model` },
    ],
  );
  return {
    currency: 'USD',
    start_date,
    end_date,
    rows: rows.map((row) => ({ ...row, service: SERVICE })),
    totals: totalsOf(rows),
  };
}

/** Rows by a key, in the order in which the keys come first. */
function groupBy<R>(rows: readonly R[], keyOf: (row: R) => string): Map<string, R[]> {
  const groups = new Map<string, R[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const totalsOf = (rows: readonly Figures[]): Figures => ({
  requests: rows.reduce((sum, { requests }) => sum + requests, 0),
  audio_ms: rows.reduce((sum, { audio_ms }) => sum + audio_ms, 0),
  cost_micros: rows.reduce((sum, { cost_micros }) => sum + cost_micros, 0),
});

/**
 * One sum per project and what else is asked for, of those that have any: projects by name, deleted ones among them. An empty list of
 * projects means all. Sums are added up before they are named, and no finer than they are told: a year has many rows.
 */
async function readRows<Keys>(
  db: Db,
  { organizationId, start_date, end_date, period, project_ids = [] }: Scope,
  keys: readonly { name: string; of: RawBuilder<unknown> }[],
): Promise<Row<Keys>[]> {
  const rollup = sql.table(period === 'hourly' ? 'usage_hourly' : 'usage_daily');
  const { rows } = await sql<Row<Keys>>`
    with named as (
      select id, name, is_deleted from (
        select id, name, false as is_deleted, organization_id from projects
        union all select id, name, true, organization_id from deleted_projects
      ) as every
      where organization_id = ${organizationId} and (${project_ids.length === 0} or id = any(${[...project_ids]}::uuid[]))
    ), sums as (
      select used.project_id, ${sql.join(keys.map(({ name, of }) => sql`${of} as ${sql.ref(name)}`))}, sum(used.requests)::bigint as requests,
        sum(used.audio_ms)::bigint as audio_ms, sum(used.cost_micros)::bigint as cost_micros
      from ${rollup} as used
      where used.project_id in (select id from named) and used.step >= ${new Date(Date.parse(start_date))}
        and used.step < ${new Date(Date.parse(end_date) + DAY_MS)}
      group by used.project_id, ${sql.join(keys.map(({ of }) => of))}
    )
    select id as project_uuid, name as project_name, is_deleted, ${sql.join(keys.map(({ name }) => sql.ref(name)))}, requests, audio_ms, cost_micros
    from sums join named on id = project_id where requests > 0
    order by name, id, ${sql.join(keys.map(({ name }) => sql.ref(name)))}`.execute(db);
  return rows;
}
