/** The cost of each project, kind and model in a period (BIL-03). */
import { sql } from 'kysely';
import { COST_ROWS_MAX, SHEET_ROWS_MAX, type BillingCost, type BillingCostRequest } from '#contract/billing.ts';
import type { Db } from '../../platform/db/database.ts';
import {
  addingUp,
  dayOf,
  PAST,
  pagesOf,
  SERVICE,
  spanOf,
  sumsOf,
  tooLarge,
  type Past,
  type Scope,
} from './report-sums.ts';

/** Projects that are read at a time. */
const PROJECTS = 100;

export type CostRow = BillingCost['rows'][number];

/** The cost of each project and model in a period (BIL-03). @throws Refusal if that is too much for one answer */
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
 * @throws Refusal for more than `most` rows; the pages throw as {@link addingUp}
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
