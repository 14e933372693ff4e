/** Usage rows: one for each ended request, written and charged once, in the transaction that ends the request. */
import { sql, type Transaction } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { alertBudget, alertProjectBudget } from '../limits/alerts.ts';
import { LIMIT_DEFAULTS } from '../limits/defaults.ts';
import { chargeUsage, dayOf } from '../ledger/charge.ts';
import { rollUp, type Request, type UsageRow } from './rollup.ts';

type Place = Pick<UsageRow, 'organization_id' | 'project_name'>;

/** An ended request. Writing it adds organization, project name and billing day. */
export type UsageEnd = Omit<Request, keyof Place>;

const COLUMNS = [
  'id',
  'request_id',
  'organization_id',
  'project_id',
  'project_name',
  'origin',
  'api_key_id',
  'user_id',
  'client_reference_id',
  'kind',
  'model',
  'status',
  'error_type',
  'started_at',
  'ended_at',
  'billing_day',
  'audio_ms',
  'input_tokens',
  'output_tokens',
  'cost_micros',
  'queue_ms',
  'processing_ms',
  'first_word_ms',
  'finals_ms',
] as const satisfies (keyof UsageRow)[];

/**
 * Writes ended requests, adds them to the rollups and charges their organizations. Call it last in a transaction. Skips
 * requests that have a row already, and those whose organization is gone.
 */
export const addUsage = (trx: Transaction<Schema>, ends: readonly UsageEnd[]): Promise<void> => write(trx, ends, []);

/**
 * Replaces the row of a request with a corrected one. Corrects the rollups, and charges the organization the
 * difference.
 */
export async function replaceUsage(trx: Transaction<Schema>, end: UsageEnd): Promise<void> {
  const { rows: removed } =
    await sql<UsageRow>`with once as (delete from usage_once where id = ${end.id} returning id, ended_at)
    delete from usage_rows using once where usage_rows.id = once.id and usage_rows.ended_at = once.ended_at returning usage_rows.*`.execute(
      trx,
    );
  await write(trx, [end], removed);
}

async function write(trx: Transaction<Schema>, ends: readonly UsageEnd[], removed: readonly UsageRow[]): Promise<void> {
  const requests = await claim(trx, ends);
  await rollUp(trx, requests, removed);
  await bill(trx, requests, removed);
  await insert(
    trx,
    requests.map((request) => ({ ...request, billing_day: dayOf(request.ended_at) })),
  );
  await alert(trx, requests);
}

/** Checks the budgets once for each project and month. */
async function alert(trx: Transaction<Schema>, requests: readonly Request[]): Promise<void> {
  const charged = requests.filter(({ cost_micros }) => (cost_micros ?? 0) > 0);
  const months = new Map(
    charged.map((request) => [`${request.project_id} ${request.ended_at.toISOString().slice(0, 7)}`, request]),
  );
  for (const { organization_id, project_id, ended_at } of months.values()) {
    await alertBudget(trx, organization_id, LIMIT_DEFAULTS, ended_at);
    await alertProjectBudget(trx, { organizationId: organization_id, projectId: project_id }, ended_at);
  }
}

/** The cost of a request, micro-USD; null without a price, and before it has ended. */
export async function costOfRequest(db: Db, id: string): Promise<number | null> {
  const row = await usageRow(db, id).select('usage_rows.cost_micros').executeTakeFirst();
  return row?.cost_micros ?? null;
}

/** A query for the row of a request. Joins `usage_once` for the request's end, which selects the partition. */
export const usageRow = (db: Db, id: string) =>
  db
    .selectFrom('usage_once')
    .innerJoin('usage_rows', (join) =>
      join.onRef('usage_rows.id', '=', 'usage_once.id').onRef('usage_rows.ended_at', '=', 'usage_once.ended_at'),
    )
    .where('usage_once.id', '=', id);

/** Marks requests as written. @returns those that had no row yet, and whose organization is known */
async function claim(trx: Db, ends: readonly UsageEnd[]): Promise<Request[]> {
  const places = await placesOf(trx, [...new Set(ends.map(({ project_id }) => project_id))]);
  const requests = ends.flatMap((end) => {
    const place = places.get(end.project_id);
    return place ? [{ ...end, ...place }] : [];
  });
  if (requests.length === 0) return [];
  const { rows: claimed } = await sql<{ id: string }>`insert into usage_once
    select id, ended_at from json_populate_recordset(null::usage_once, ${JSON.stringify(requests)}::json) order by id
    on conflict do nothing returning id`.execute(trx);
  const ids = new Set(claimed.map(({ id }) => id));
  return requests.filter(({ id }) => ids.has(id));
}

/** Charges requests to the day on which each ended, and takes back the charges of replaced rows. */
async function bill(
  trx: Transaction<Schema>,
  requests: readonly Request[],
  removed: readonly UsageRow[],
): Promise<void> {
  const charges = new Map<string, { organizationId: string; day: string; micros: number; at: Date }>();
  const add = (row: Pick<UsageRow, 'organization_id' | 'ended_at'>, day: string, micros: number) => {
    const key = `${row.organization_id} ${day}`;
    const known = charges.get(key);
    const at = known && known.at > row.ended_at ? known.at : row.ended_at;
    charges.set(key, { organizationId: row.organization_id, day, micros: (known?.micros ?? 0) + micros, at });
  };
  for (const request of requests) add(request, dayOf(request.ended_at), request.cost_micros ?? 0);
  for (const row of removed) add(row, row.billing_day, -(row.cost_micros ?? 0));
  // Sorted, because accounts must be locked in the order of their organizations.
  for (const [, charge] of [...charges].sort(([a], [b]) => (a < b ? -1 : 1))) await chargeUsage(trx, charge);
}

async function insert(trx: Db, rows: readonly (Request & { billing_day: string })[]): Promise<void> {
  if (rows.length === 0) return;
  const columns = sql.join(COLUMNS.map((column) => sql.ref(column)));
  await sql`insert into usage_rows (${columns})
    select ${columns} from json_populate_recordset(null::usage_rows, ${JSON.stringify(rows)}::json)`.execute(trx);
}

/** Organization and name of each project, including deleted ones. */
async function placesOf(trx: Db, projects: readonly string[]): Promise<ReadonlyMap<string, Place>> {
  if (projects.length === 0) return new Map();
  const rows = await trx
    .selectFrom('projects')
    .select(['id', 'organization_id', 'name'])
    .where('id', 'in', projects)
    .unionAll(trx.selectFrom('deleted_projects').select(['id', 'organization_id', 'name']).where('id', 'in', projects))
    .execute();
  return new Map(rows.map(({ id, organization_id, name }) => [id, { organization_id, project_name: name }]));
}
