/** The rows of the requests that ended: written once each, in the transaction that ends the request. */
import { sql, type Insertable } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { UsageTables } from '../../platform/db/usage-tables.ts';
import { rollUp, type UsageRow } from './rollup.ts';

type Place = Pick<UsageRow, 'organization_id' | 'project_name'>;

/** A request that ended. Where it belongs, and when it is billed, is found when it is written. */
export type UsageEnd = Omit<Insertable<UsageTables['usage_rows']>, keyof Place | 'billing_day' | 'position'>;

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
 * Writes down requests that ended, and counts them in the rollups: the last that a transaction does. A request that has its row is
 * left as it is; one whose organization is gone has none.
 */
export async function addUsage(trx: Db, ends: readonly UsageEnd[]): Promise<void> {
  await rollUp(trx, await insertOnce(trx, ends));
}

/** The same for a request whose row was not the truth; that row is gone from the rollups, too. */
export async function replaceUsage(trx: Db, end: UsageEnd): Promise<void> {
  const { rows: removed } =
    await sql<UsageRow>`with once as (delete from usage_once where id = ${end.id} returning id, ended_at)
    delete from usage_rows using once where usage_rows.id = once.id and usage_rows.ended_at = once.ended_at returning usage_rows.*`.execute(
      trx,
    );
  await rollUp(trx, await insertOnce(trx, [end]), removed);
}

/** What a request cost, micro-USD; null without a price, and before it has ended. */
export async function costOfRequest(db: Db, id: string): Promise<number | null> {
  const row = await usageRow(db, id).select('usage_rows.cost_micros').executeTakeFirst();
  return row?.cost_micros ?? null;
}

/** The row of a request, found in its part. */
export const usageRow = (db: Db, id: string) =>
  db
    .selectFrom('usage_once')
    .innerJoin('usage_rows', (join) =>
      join.onRef('usage_rows.id', '=', 'usage_once.id').onRef('usage_rows.ended_at', '=', 'usage_once.ended_at'),
    )
    .where('usage_once.id', '=', id);

async function insertOnce(trx: Db, ends: readonly UsageEnd[]): Promise<UsageRow[]> {
  const places = await placesOf(trx, [...new Set(ends.map(({ project_id }) => project_id))]);
  const rows = ends.flatMap((end) => {
    const place = places.get(end.project_id);
    return place ? [{ ...end, ...place, billing_day: end.ended_at.toISOString().slice(0, 10) }] : [];
  });
  if (rows.length === 0) return [];
  const columns = sql.join(COLUMNS.map((column) => sql.ref(column)));
  const { rows: inserted } = await sql<UsageRow>`with ended as (
      select * from json_populate_recordset(null::usage_rows, ${JSON.stringify(rows)}::json)
    ), once as (insert into usage_once select id, ended_at from ended order by id on conflict do nothing returning id)
    insert into usage_rows (${columns}) select ${columns} from ended where id in (select id from once) returning *`.execute(
    trx,
  );
  return inserted;
}

/** By project, whom its use is billed to, and its name: deleted ones included. */
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
