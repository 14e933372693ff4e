import { sql } from 'kysely';
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

interface Row {
  project_uuid: string;
  project_name: string;
  is_deleted: boolean;
  bucket: number;
  kind: 'async' | 'real_time';
  model: string;
  requests: number;
  audio_ms: number;
  cost_micros: number;
}

/** What each project cost, by step (BIL-02). */
export async function readReport(
  db: Db,
  organizationId: string,
  { start_date, end_date, period = 'daily', project_ids }: BillingReportRequest,
): Promise<BillingReport> {
  const asked = { organizationId, start_date, end_date, period, project_ids };
  const rows = await readRows(db, asked);
  const buckets = bucketsOf(asked);
  const places = new Map(buckets.map((start, place) => [start.getTime(), place]));
  const series = [...groupBy(rows, ({ project_uuid }) => project_uuid).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    const column = (of: (row: Row) => number): number[] => {
      const numbers = buckets.map(() => 0);
      for (const row of own) {
        const place = places.get(row.bucket);
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
  const rows = await readRows(db, { organizationId, start_date, end_date, period: 'monthly' });
  const groups = groupBy(rows, ({ project_uuid, kind, model }) => JSON.stringify([project_uuid, kind, model]));
  return {
    currency: 'USD',
    start_date,
    end_date,
    rows: [...groups.values()].flatMap((own) => {
      const [first] = own;
      if (first === undefined) return [];
      const { project_uuid, project_name, is_deleted, kind, model } = first;
      return { project_uuid, project_name, is_deleted, service: SERVICE, kind, model, ...totalsOf(own) } as const;
    }),
    totals: totalsOf(rows),
  };
}

/** Rows by a key, in the order in which the keys come first. */
function groupBy(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const totalsOf = (rows: readonly Row[]): BillingReport['totals'] => ({
  requests: rows.reduce((sum, { requests }) => sum + requests, 0),
  audio_ms: rows.reduce((sum, { audio_ms }) => sum + audio_ms, 0),
  cost_micros: rows.reduce((sum, { cost_micros }) => sum + cost_micros, 0),
});

/** One sum per project, step, kind and model that has any; projects by name, deleted ones among them. An empty list of projects means all. */
async function readRows(
  db: Db,
  { organizationId, start_date, end_date, period, project_ids = [] }: Scope,
): Promise<Row[]> {
  const rollup = sql.table(period === 'hourly' ? 'usage_hourly' : 'usage_daily');
  const bucket = period === 'monthly' ? sql`date_trunc('month', used.step, 'UTC')` : sql`used.step`;
  const { rows } = await sql<Omit<Row, 'bucket'> & { bucket: Date }>`
    select p.id as project_uuid, p.name as project_name, p.is_deleted, ${bucket} as bucket, used.kind, used.model,
      sum(used.requests)::bigint as requests, sum(used.audio_ms)::bigint as audio_ms, sum(used.cost_micros)::bigint as cost_micros
    from ${rollup} as used join (
      select id, name, false as is_deleted, organization_id from projects
      union all select id, name, true, organization_id from deleted_projects
    ) p on p.id = used.project_id
    where p.organization_id = ${organizationId} and used.step >= ${new Date(Date.parse(start_date))}
      and used.step < ${new Date(Date.parse(end_date) + DAY_MS)}
      and (${project_ids.length === 0} or p.id = any(${[...project_ids]}::uuid[]))
    group by 1, 2, 3, 4, 5, 6 having sum(used.requests) > 0 order by p.name, p.id, used.kind, used.model, 4`.execute(
    db,
  );
  return rows.map(({ bucket: start, ...row }) => ({ ...row, bucket: start.getTime() }));
}
