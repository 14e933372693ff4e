import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { chargeUsage } from '#server/money/ledger/charge.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Schema } from '#server/platform/db/schema.ts';

interface User {
  organizationId: string;
  projectId: string;
}

/** Writes down a request that has ended and charges it, as the speech API does: both or neither. Gives its billing day. */
export const useUp = (db: Db, user: User, micros: number, at: Date): Promise<string> =>
  db.transaction().execute((trx) => endRequest(trx, user, micros, at));

/** The same as part of a transaction. */
export async function endRequest(
  trx: Transaction<Schema>,
  { organizationId, projectId }: User,
  micros: number,
  at: Date,
): Promise<string> {
  await trx
    .insertInto('usage_logs')
    .values({
      id: randomUUID(),
      project_id: projectId,
      request_id: randomUUID(),
      kind: 'async',
      origin: 'playground',
      api_key_id: null,
      client_reference_id: null,
      model: 'a-1',
      status: 'completed',
      error_type: null,
      started_at: at,
      ended_at: at,
      latency_ms: null,
      input_audio_ms: 1000,
      input_text_tokens: 0,
      output_text_tokens: 0,
      cost_micros: micros,
    })
    .execute();
  return chargeUsage(trx, { organizationId, micros, at });
}
