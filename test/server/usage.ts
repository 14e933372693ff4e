/** Requests that ended, straight in the database, counted as the server counts them. */
import { randomUUID } from 'node:crypto';
import type { Db } from '#server/platform/db/database.ts';
import { addUsage, type UsageEnd } from '#server/money/usage/rows.ts';

/** One that was completed; what is not said is made up. */
export const ended = (of: Pick<UsageEnd, 'project_id' | 'ended_at'> & Partial<UsageEnd>): UsageEnd => ({
  id: randomUUID(),
  request_id: randomUUID(),
  origin: 'playground',
  api_key_id: null,
  user_id: null,
  client_reference_id: null,
  kind: 'async',
  model: 'parlance-async-1',
  status: 'completed',
  error_type: null,
  started_at: new Date(new Date(of.ended_at).getTime() - 3_600_000),
  audio_ms: 1000,
  input_tokens: 0,
  output_tokens: 0,
  cost_micros: null,
  queue_ms: null,
  processing_ms: null,
  first_word_ms: null,
  finals_ms: null,
  ...of,
});

export async function writeUsage(db: Db, ends: readonly UsageEnd[]): Promise<void> {
  await db.transaction().execute((trx) => addUsage(trx, ends));
}

/** As if a request had never ended. */
export async function forgetUsage(db: Db, requestId: string): Promise<void> {
  const rows = db.selectFrom('usage_rows').select('id').where('request_id', '=', requestId);
  await db.deleteFrom('usage_once').where('id', 'in', rows).execute();
  await db.deleteFrom('usage_rows').where('request_id', '=', requestId).execute();
}
