import { setImmediate } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import {
  COST_ROWS_MAX,
  REPORT_CELLS_MAX,
  SHEET_ROWS_MAX,
  type BillingCost,
  type BillingCostRequest,
  type BillingReport,
  type BillingReportRequest,
} from '#contract/billing.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import { ApiProblem } from '../../http/errors.ts';
import type { Db } from '../../platform/db/database.ts';
import { listed, msOf, numbersIn } from '../usage/lists.ts';
import { bucketsOf } from '../usage/report.ts';
import { readProjects } from './projects.ts';

const DAY_MS = 86_400_000;
/** Rows that are processed at a time. Few, because work of more than some milliseconds delays live streams. */
const PAGE = 1000;
/** Projects of a cost table that are read at a time. */
const PROJECTS = 100;

/** The only billed service. */
const SERVICE = 'transcription';

interface Scope {
  organizationId: string;
  /** Undefined or empty for all projects. */
  project_ids?: readonly string[] | undefined;
  /** Start, included. */
  from: Date;
  /** End, not included. */
  to: Date;
  period: UsagePeriod;
  /** If set, queries also sum up the use before this day, in columns `past_…`. */
  over?: Date;
}

/** The span from the first day to the end of the last. */
const spanOf = ({ start_date, end_date }: { start_date: string; end_date: string }): Pick<Scope, 'from' | 'to'> => ({
  from: new Date(Date.parse(start_date)),
  to: new Date(Date.parse(end_date) + DAY_MS),
});

export type Figures = BillingReport['totals'];

type Project = Pick<BillingReport['series'][number], 'project_uuid' | 'project_name' | 'is_deleted'>;
/** Figures of a project: in lists by step; of one step; by kind and model. */
type Listed = Project & Record<'step' | keyof Figures, string>;
export type StepRow = Omit<Project, 'is_deleted'> & Figures & { step: Date; service: string };
export type CostRow = BillingCost['rows'][number];
/** The part of a row's figures that lies on days that were over when its sheet was begun. */
type Past = Record<`past_${keyof Figures}`, number>;
const PAST = sql`past_requests, past_audio_ms, past_cost_micros`;

const COARSER = 'Choose a shorter time, fewer projects or a coarser step (days or months).';

const tooLarge = (most: number, what: string, help: string): ApiProblem =>
  new ApiProblem(400, 'report_too_large', `This is more than ${most.toLocaleString('en')} ${what}. ${help}`);

/** The cost of each project, by step (BIL-02). @throws ApiProblem if that is too much for one answer */
export async function readReport(
  db: Db,
  organizationId: string,
  { start_date, end_date, period = 'daily', project_ids }: BillingReportRequest,
): Promise<BillingReport> {
  const asked = { start_date, end_date, period };
  const buckets = bucketsOf(asked);
  const scope = { organizationId, project_ids, period, ...spanOf(asked) };
  const most = Math.floor(REPORT_CELLS_MAX / buckets.length);
  const used = await countSteps(db, scope, { each: sql`and used.requests > 0 limit 1`, most });
  if (totalOf(used) > most) throw tooLarge(REPORT_CELLS_MAX, 'cells (projects times steps)', COARSER);
  const { rows } = await sql<Listed>`${sumsOf(scope, [stepOf(period)])}
    select id as project_uuid, name as project_name, is_deleted, ${listed(msOf(sql`step`))} as step, ${listed(sql`requests`)} as requests,
      ${listed(sql`audio_ms`)} as audio_ms, ${listed(sql`cost_micros`)} as cost_micros
    from sums join named on id = project_id where requests > 0
    group by id, name, is_deleted order by name, id`.execute(db);
  const places = new Map(buckets.map((start, place) => [start.getTime(), place]));
  const series: BillingReport['series'] = [];
  for (const { project_uuid, project_name, is_deleted, step: steps, ...lists } of rows) {
    const at = numbersIn(steps).map((start) => places.get(start ?? 0));
    const column = (list: string): number[] => {
      const numbers = buckets.map(() => 0);
      for (const [row, value] of numbersIn(list).entries()) {
        const place = at[row];
        if (place !== undefined) numbers[place] = value ?? 0;
      }
      return numbers;
    };
    series.push({
      project_uuid,
      project_name,
      is_deleted,
      service: SERVICE,
      requests: column(lists.requests),
      audio_ms: column(lists.audio_ms),
      cost_micros: column(lists.cost_micros),
    });
    // Lets other work of the event loop run.
    await setImmediate();
  }
  const total = (of: (one: (typeof series)[number]) => number[]): number =>
    series.reduce((sum, one) => of(one).reduce((part, value) => part + value, sum), 0);
  return {
    currency: 'USD',
    ...asked,
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

/**
 * The report as rows, one for each step and project with requests, ordered by step, then project. Reads the next page
 * when the one before was taken. Reads a step with many rows in groups of projects.
 * @param most rows; requests that end meanwhile may add more
 * @throws ApiProblem if there are more; the pages throw as {@link addingUp}
 */
export async function stepPages(
  db: Db,
  organizationId: string,
  { start_date, end_date, period = 'daily', project_ids }: BillingReportRequest,
  now: Date,
  most = SHEET_ROWS_MAX,
): Promise<AsyncIterable<readonly StepRow[]>> {
  const scope = { organizationId, project_ids, period, over: dayOf(now), ...spanOf({ start_date, end_date }) };
  const steps = await countSteps(db, scope, { each: sql`group by 1 having sum(used.requests) > 0`, most });
  if (totalOf(steps) > most) throw tooLarge(most, 'rows', COARSER);
  const pages = await pagesOf(db, organizationId, { only: project_ids, size: PAGE });
  const read = async function* () {
    for (const { rows: many, ...part } of partsOf(scope, steps))
      for (const ids of many > PAGE ? pages : [project_ids]) {
        const { rows } = await sql<StepRow & Past>`${sumsOf({ ...scope, ...part, project_ids: ids }, [stepOf(period)])}
          select step, id as project_uuid, name as project_name, ${SERVICE} as service, requests, audio_ms, cost_micros, ${PAST}
          from sums join named on id = project_id where requests > 0 order by step, name, id`.execute(db);
        if (rows.length > 0) yield rows;
      }
  };
  return addingUp(db, scope, read());
}

const dayOf = (now: Date): Date => new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);

/**
 * Passes pages on, which are read at different moments, and checks them at the end: the figures of days that were over
 * at the beginning must not have changed.
 * @throws if they have, or if the organization is gone
 */
async function* addingUp<R extends Past>(db: Db, scope: Scope, pages: AsyncIterable<readonly R[]>) {
  const requireOrganization = async (): Promise<void> => {
    const { organizationId: id } = scope;
    if (!(await db.selectFrom('organizations').select('id').where('id', '=', id).executeTakeFirst()))
      throw new Error('The organization was deleted while its sheet was read.');
  };
  const read: Past = { past_requests: 0, past_audio_ms: 0, past_cost_micros: 0 };
  const add = (row: Past): void => {
    read.past_requests += row.past_requests;
    read.past_audio_ms += row.past_audio_ms;
    read.past_cost_micros += row.past_cost_micros;
  };
  for await (const page of pages) {
    for (const row of page) add(row);
    await requireOrganization();
    yield page;
  }
  const to = scope.over !== undefined && scope.over < scope.to ? scope.over : scope.to;
  const { rows } = await sql<Past>`${sumsOf({ ...scope, to }, [stepOf(scope.period)])}
    select coalesce(sum(past_requests), 0)::bigint as past_requests, coalesce(sum(past_audio_ms), 0)::bigint as past_audio_ms,
      coalesce(sum(past_cost_micros), 0)::bigint as past_cost_micros from sums where requests > 0`.execute(db);
  await requireOrganization();
  for (const { past_requests, past_audio_ms, past_cost_micros } of rows)
    if (
      past_requests !== read.past_requests ||
      past_audio_ms !== read.past_audio_ms ||
      past_cost_micros !== read.past_cost_micros
    )
      throw new Error('What was used on days that were over has changed while the sheet was read.');
}

/**
 * Cuts a span into parts of whole steps, each with at most a page of rows if possible. Each part reads its own index
 * range.
 */
function partsOf({ from, to }: Pick<Scope, 'from' | 'to'>, steps: readonly StepCount[]) {
  const parts = [];
  let part = { from, to, rows: 0 };
  for (const { step, count } of steps) {
    if (part.rows > 0 && part.rows + count > PAGE) {
      parts.push({ ...part, to: step });
      part = { from: step, to, rows: 0 };
    }
    part.rows += count;
  }
  return [...parts, part];
}

/** The cost of each project and model in a period (BIL-03). @throws ApiProblem if that is too much for one answer */
export async function readCostTable(
  db: Db,
  organizationId: string,
  { start_date, end_date }: BillingCostRequest,
): Promise<BillingCost> {
  const scope = { organizationId, ...spanOf({ start_date, end_date }) };
  const rows = await readCosts(db, scope, COST_ROWS_MAX + 1);
  if (rows.length > COST_ROWS_MAX)
    throw tooLarge(COST_ROWS_MAX, 'rows', 'Choose a shorter time, or see the billing report of some of the projects.');
  return {
    currency: 'USD',
    start_date,
    end_date,
    rows,
    totals: {
      requests: rows.reduce((sum, { requests }) => sum + requests, 0),
      audio_ms: rows.reduce((sum, { audio_ms }) => sum + audio_ms, 0),
      cost_micros: rows.reduce((sum, { cost_micros }) => sum + cost_micros, 0),
    },
  };
}

/**
 * The cost table as pages of rows, read as they are taken.
 * @throws ApiProblem for more than `most` rows; the pages throw as {@link addingUp}
 */
export async function costPages(
  db: Db,
  organizationId: string,
  asked: BillingCostRequest,
  now: Date,
  most = SHEET_ROWS_MAX,
): Promise<AsyncIterable<readonly CostRow[]>> {
  const scope: Scope = { organizationId, period: 'daily', over: dayOf(now), ...spanOf(asked) };
  const { rows } = await sql<{ count: number }>`${sumsOf(scope, COSTS)}
    select count(*) from sums where requests > 0`.execute(db);
  if ((rows[0]?.count ?? 0) > most) throw tooLarge(most, 'rows', 'Choose a shorter time.');
  const pages = await pagesOf(db, organizationId, { size: PROJECTS });
  const read = async function* () {
    for (const project_ids of pages) yield await readCosts<CostRow & Past>(db, { ...scope, project_ids });
  };
  return addingUp(db, scope, read());
}

/** Projects in pages, fixed before reading: so no row comes twice, even if projects are renamed meanwhile. */
async function pagesOf(
  db: Db,
  organizationId: string,
  { only = [], size }: { only?: readonly string[] | undefined; size: number },
) {
  const all = (await readProjects(db, organizationId)).map(({ uuid }) => uuid);
  const wanted = new Set(only);
  const ids = wanted.size === 0 ? all : all.filter((id) => wanted.has(id));
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, page) => ids.slice(page * size, (page + 1) * size));
}

/** The cost of all projects in a period, micro-USD. */
export async function readTotalCost(db: Db, organizationId: string, asked: BillingCostRequest): Promise<number> {
  const { rows } = await sql<{
    cost_micros: number;
  }>`${sumsOf({ organizationId, ...spanOf(asked), period: 'daily' }, COSTS)}
    select coalesce(sum(cost_micros), 0)::bigint as cost_micros from sums where requests > 0`.execute(db);
  return rows[0]?.cost_micros ?? 0;
}

const COSTS = [
  { name: 'kind', of: sql`used.kind` },
  { name: 'model', of: sql`used.model` },
];

/** Cost by project, kind and model. */
async function readCosts<R extends CostRow>(
  db: Db,
  scope: Omit<Scope, 'period'>,
  most: number | null = null,
): Promise<R[]> {
  const { rows } = await sql<R>`${sumsOf({ ...scope, period: 'daily' }, COSTS)}
    select id as project_uuid, name as project_name, is_deleted, ${SERVICE} as service, kind, model, requests, audio_ms, cost_micros ${scope.over ? sql`, ${PAST}` : sql``}
    from sums join named on id = project_id where requests > 0 order by name, id, kind, model limit ${most}::int`.execute(
    db,
  );
  return rows;
}

type StepCount = { step: Date; count: number };
const totalOf = (steps: readonly StepCount[]): number => steps.reduce((sum, { count }) => sum + count, 0);

/**
 * Counts the rows of each step that remain after `each` (SQL appended to the query of one project). Stops at one above
 * `most`: projects are read one by one, so that a report that is too large is not read to its end.
 */
async function countSteps(
  db: Db,
  scope: Scope,
  { each, most }: { each: RawBuilder<unknown>; most: number },
): Promise<StepCount[]> {
  const { rows } = await sql<StepCount>`with ${namedOf(scope)}
    select step, count(*) from (
      select step from named cross join lateral (
        select ${stepOf(scope.period).of} as step from ${rollupOf(scope)} as used
        where used.project_id = named.id and used.step >= ${scope.from} and used.step < ${scope.to} ${each}
      ) as one limit ${most + 1}
    ) as found group by step order by step`.execute(db);
  return rows;
}

/**
 * SQL with `named`, the projects including deleted ones, and `sums`, one row for each project and value of the keys.
 * Adds up before joining names, because a year has many rows. Passes projects as an array, so that each is searched in
 * the index.
 */
const sumsOf = (scope: Scope, keys: readonly { name: string; of: RawBuilder<unknown> }[]): RawBuilder<unknown> =>
  sql`with ${namedOf(scope)}, sums as (
      select used.project_id, ${sql.join(keys.map(({ name, of }) => sql`${of} as ${sql.ref(name)}`))}, sum(used.requests)::bigint as requests,
        sum(used.audio_ms)::bigint as audio_ms, sum(used.cost_micros)::bigint as cost_micros ${pastOf(scope)}
      from ${rollupOf(scope)} as used
      where used.project_id = any(array(select id from named)) and used.step >= ${scope.from} and used.step < ${scope.to}
      group by used.project_id, ${sql.join(keys.map(({ of }) => of))}
    )`;

const pastOf = ({ over }: Scope): RawBuilder<unknown> => {
  if (over === undefined) return sql``;
  const past = (name: string): RawBuilder<unknown> =>
    sql`coalesce(sum(used.${sql.ref(name)}) filter (where used.step < ${over}), 0)::bigint as ${sql.ref(`past_${name}`)}`;
  return sql`, ${sql.join(['requests', 'audio_ms', 'cost_micros'].map(past))}`;
};

const namedOf = ({ organizationId, project_ids = [] }: Scope): RawBuilder<unknown> =>
  sql`named as (
      select id, name, is_deleted from (
        select id, name, false as is_deleted, organization_id from projects
        union all select id, name, true, organization_id from deleted_projects
      ) as every
      where organization_id = ${organizationId} and (${project_ids.length === 0} or id = any(${[...project_ids]}::uuid[]))
    )`;

const rollupOf = ({ period }: Scope): RawBuilder<unknown> =>
  sql.table(period === 'hourly' ? 'usage_hourly' : 'usage_daily');

const stepOf = (period: UsagePeriod) => ({
  name: 'step',
  of: period === 'monthly' ? sql`date_trunc('month', used.step, 'UTC')` : sql`used.step`,
});
