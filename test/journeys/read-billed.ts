/**
 * Prints what the database of a stopped server says of an organization: each request that ended, and each entry of its account, as
 * JSON. `node --import tsx read-billed.ts DIRECTORY ORGANIZATION`
 */
import { sql } from 'kysely';
import { openDatabase } from '#server/platform/db/open.ts';
import type { BilledEntry, BilledRequest } from './figures.ts';

const [, , directory = '', organizationId = ''] = process.argv;
const { db, close } = await openDatabase({ dataDir: directory });
const requests = await sql<BilledRequest>`
  select project_id as project, project_name as name, kind, model, status, audio_ms::float8 as audio_ms,
    cost_micros::float8 as cost_micros, processing_ms, first_word_ms, finals_ms, queue_ms,
    to_char(ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
  from usage_rows where organization_id = ${organizationId} order by ended_at desc`.execute(db);
const entries = await sql<BilledEntry>`
  select kind, description, amount_micros::float8 as micros, sum(amount_micros) over (order by position)::float8 as balance
  from ledger_entries where organization_id = ${organizationId} order by position desc`.execute(db);
const refused = await sql<{ project: string; kind: string; model: string; at: string; requests: number }>`
  select project_id as project, kind, model, requests,
    to_char(refused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
  from refused_requests order by refused_at desc`.execute(db);
const peaks = await sql<{ project: string; day: string; streams: number }>`
  select project_id as project, to_char(step at time zone 'UTC', 'YYYY-MM-DD') as day, max(streams) as streams
  from stream_peaks group by 1, 2`.execute(db);
process.stdout.write(
  JSON.stringify({ requests: requests.rows, entries: entries.rows, refused: refused.rows, peaks: peaks.rows }),
);
await close();
