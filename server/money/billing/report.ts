/** The cost of each project, by step (BIL-02). */
import { setImmediate } from 'node:timers/promises';
import { sql, type RawBuilder } from 'kysely';
import { REPORT_CELLS_MAX, SHEET_ROWS_MAX, type BillingReport, type BillingReportRequest } from '#contract/billing.ts';
import type { Db } from '../../platform/db/database.ts';
import { listed, msOf, numbersIn } from '../usage/lists.ts';
import { bucketsOf } from '../usage/report.ts';
import { readProjects } from './projects.ts';
import {
  addingUp,
  dayOf,
  namedOf,
  PAST,
  pagesOf,
  rollupOf,
  SERVICE,
  spanOf,
  stepOf,
  sumsOf,
  tooLarge,
  type Figures,
  type Past,
  type Project,
  type Scope,
} from './report-sums.ts';

/** Rows that are processed at a time. Few, because work of more than some milliseconds delays live streams. */
const PAGE = 1000;

/** Figures of a project: in lists by step; of one step; by kind and model. */
type Listed = Project & Record<'step' | keyof Figures, string>;
export type StepRow = Project & Figures & { step: Date; service: string };

const COARSER = 'Choose a shorter time, fewer projects or a coarser step (days or months).';

/** The cost of each project, by step (BIL-02). @throws Refusal if that is too much for one answer */
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
 * @throws Refusal if there are more; the pages throw as {@link addingUp}
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
          select step, id as project_uuid, name as project_name, is_deleted, ${SERVICE} as service, requests, audio_ms, cost_micros, ${PAST}
          from sums join named on id = project_id where requests > 0 order by step, name, id`.execute(db);
        if (rows.length > 0) yield rows;
      }
  };
  return addingUp(db, scope, read());
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
