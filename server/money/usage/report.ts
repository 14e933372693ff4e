import { sql } from 'kysely';
import { daysFrom, type UsageActivity, type UsageCost, type UsagePeriod, type UsageService } from '#contract/usage.ts';
import type { Db } from '../../platform/db/database.ts';
import { visibleDeletedProjects, visibleProjects } from '../../tenancy/projects/queries.ts';
import { listed, msOf, numbersIn } from './lists.ts';
import { hasPrices } from './price-lists.ts';

const MS_PER_HOUR = 3_600_000;
const HOURS_PER_DAY = 24;

/** Cost of the requests with a price, micro-USD; null if none has one. */
export const COST = sql<string | number | null>`case when sum(used.priced) > 0 then sum(used.cost_micros)::bigint end`;

/** A validated request for a report. Includes the last day. */
export interface ReportRequest {
  start_date: string;
  end_date: string;
  period: UsagePeriod;
  models?: readonly string[] | undefined;
  services?: readonly UsageService[] | undefined;
}

/**
 * One project, or the projects of an organization that a user may see, including deleted ones; `only` narrows them
 * down.
 */
export type Scope =
  | { projectId: string }
  | { organizationId: string; userId: string; only?: readonly string[] | undefined };

/** The start of each step of a period, UTC. */
export function bucketsOf({
  start_date,
  end_date,
  period,
}: Pick<ReportRequest, 'start_date' | 'end_date' | 'period'>): Date[] {
  const [year = 0, month = 1, day = 1] = start_date.split('-').map(Number);
  const last = Date.parse(end_date);
  if (period === 'monthly') {
    const buckets = [new Date(Date.UTC(year, month - 1, 1))];
    for (let next = month; Date.UTC(year, next, 1) <= last; next += 1) buckets.push(new Date(Date.UTC(year, next, 1)));
    return buckets;
  }
  const [steps, hours] =
    period === 'hourly'
      ? [daysFrom(start_date, end_date) * HOURS_PER_DAY, 1]
      : [daysFrom(start_date, end_date), HOURS_PER_DAY];
  return Array.from(
    { length: steps },
    (_, step) => new Date(Date.UTC(year, month - 1, day) + step * hours * MS_PER_HOUR),
  );
}

/** Requests and audio by step (PRJ-04). */
export async function readActivity(db: Db, scope: Scope, asked: ReportRequest): Promise<UsageActivity> {
  const { rows, ...report } = await readRows(db, scope, asked);
  const series = seriesOf(rows, report.buckets, (column) => ({
    requests: column(({ requests }) => requests),
    audio_ms: column(({ audio_ms }) => audio_ms),
  }));
  return { ...report, series, totals: { requests: sum(rows, 'requests'), audio_ms: sum(rows, 'audio_ms') } };
}

/** Cost by step (PRJ-04), as calculated when each request ended. */
export async function readCost(db: Db, scope: Scope, asked: ReportRequest, now: Date): Promise<UsageCost> {
  const { rows, ...report } = await readRows(db, scope, asked);
  const isPriced = await hasPrices(db, now);
  const priced = rows.flatMap((row) => (row.cost_micros === null ? [] : [{ ...row, cost_micros: row.cost_micros }]));
  const series = seriesOf(priced, report.buckets, (column) => ({
    cost_micros: column(({ cost_micros }) => cost_micros),
  }));
  return {
    ...report,
    currency: 'USD',
    series,
    totals: { cost_micros: totalCost(priced.length > 0 ? sum(priced, 'cost_micros') : null, isPriced) },
  };
}

/** The total cost. If no request had a price, it is 0; null if there are no prices at all. */
export const totalCost = (micros: number | null, isPriced: boolean): number | null => micros ?? (isPriced ? 0 : null);

interface Row {
  bucket: number;
  service: UsageService;
  model: string;
  requests: number;
  audio_ms: number;
  cost_micros: number | null;
}

/** One row for each step, service and model with requests. */
async function readRows(db: Db, scope: Scope, { start_date, end_date, period, models, services }: ReportRequest) {
  const begin = new Date(Date.parse(start_date));
  const end = new Date(Date.parse(end_date) + HOURS_PER_DAY * MS_PER_HOUR);
  const bucket = period === 'monthly' ? sql<Date>`date_trunc('month', used.step, 'UTC')` : sql<Date>`used.step`;
  const sums = db
    .selectFrom(period === 'hourly' ? 'usage_hourly as used' : 'usage_daily as used')
    .select(({ fn }) => [
      bucket.as('bucket'),
      'used.kind as service',
      'used.model',
      fn.sum('used.requests').as('requests'),
      fn.sum('used.audio_ms').as('audio_ms'),
      COST.as('cost_micros'),
    ])
    // With an array the index is searched for each project; with a subquery all rows of the period would be read.
    .where('used.project_id', '=', sql<string>`any(array(${projectsOf(db, scope)}))`)
    .where('used.step', '>=', begin)
    .where('used.step', '<', end)
    .$if(models !== undefined, (query) => query.where('used.model', '=', sql<string>`any(${models})`))
    .$if(services !== undefined, (query) => query.where('used.kind', '=', sql<UsageService>`any(${services})`))
    .groupBy([bucket, 'used.kind', 'used.model'])
    .having(({ fn }) => fn.sum('used.requests'), '>', 0);
  const found = await db
    .selectFrom(sums.as('sums'))
    .select([
      'service',
      'model',
      listed(msOf(sql`bucket`)).as('bucket'),
      listed(sql`requests`).as('requests'),
      listed(sql`audio_ms`).as('audio_ms'),
      listed(sql`cost_micros`).as('cost_micros'),
    ])
    .groupBy(['service', 'model'])
    .orderBy('service')
    .orderBy('model')
    .execute();
  const rows = found.flatMap(({ service, model, ...lists }): Row[] => {
    const [requests, audio_ms, cost_micros] = [lists.requests, lists.audio_ms, lists.cost_micros].map(numbersIn);
    return numbersIn(lists.bucket).map((start, place) => ({
      bucket: start ?? 0,
      service,
      model,
      requests: requests?.[place] ?? 0,
      audio_ms: audio_ms?.[place] ?? 0,
      cost_micros: cost_micros?.[place] ?? null,
    }));
  });
  return {
    start_date,
    end_date,
    period,
    buckets: bucketsOf({ start_date, end_date, period }).map((start) => start.toISOString()),
    rows,
  };
}

function projectsOf(db: Db, scope: Scope) {
  if ('projectId' in scope)
    return db.selectFrom('projects').select('projects.id').where('projects.id', '=', scope.projectId);
  const { organizationId, userId, only } = scope;
  const isAsked = sql<string>`any(${only}::uuid[])`;
  return visibleProjects(db, userId)
    .select('projects.id')
    .where('projects.organization_id', '=', organizationId)
    .$if(only !== undefined, (query) => query.where('projects.id', '=', isAsked))
    .unionAll(
      visibleDeletedProjects(db, userId)
        .select('deleted_projects.id')
        .where('deleted_projects.organization_id', '=', organizationId)
        .$if(only !== undefined, (query) => query.where('deleted_projects.id', '=', isAsked)),
    );
}

/**
 * One series for each service and model. `column` reads a number from each row, and fills steps without a row with 0.
 */
function seriesOf<R extends Pick<Row, 'bucket' | 'service' | 'model'>, Columns extends object>(
  rows: readonly R[],
  buckets: readonly string[],
  columnsOf: (column: (of: (row: R) => number) => number[]) => Columns,
) {
  const places = new Map(buckets.map((start, place) => [Date.parse(start), place]));
  const groups = new Map<string, [R, ...R[]]>();
  for (const row of rows) {
    const key = JSON.stringify([row.service, row.model]);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups.values()].map((group) => {
    const column = (of: (row: R) => number): number[] => {
      const numbers = buckets.map(() => 0);
      for (const row of group) numbers[places.get(row.bucket) ?? 0] = of(row);
      return numbers;
    };
    return { service: group[0].service, model: group[0].model, ...columnsOf(column) };
  });
}

const sum = <Field extends 'requests' | 'audio_ms' | 'cost_micros'>(
  rows: readonly Record<Field, number>[],
  field: Field,
): number => rows.reduce((total, row) => total + row[field], 0);
