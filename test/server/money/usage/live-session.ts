import { randomUUID } from 'node:crypto';
import type { Insertable } from 'kysely';
import type { LiveEnd } from '#server/money/usage/record.ts';
import type { Db } from '#server/platform/db/database.ts';
import type { Schema } from '#server/platform/db/schema.ts';

/** A session of a user's project whose process does not renew its lease; gives its id. */
export async function liveSession(
  db: Db,
  { projectId }: { projectId: string },
  of: Partial<Insertable<Schema['live_sessions']>> & { started_at: Date },
): Promise<string> {
  const id = randomUUID();
  await db
    .insertInto('live_sessions')
    .values({
      id,
      project_id: projectId,
      model: 'parlance-rt-1',
      status: 'running',
      worker: 'w',
      lease_until: of.started_at,
      audio_ms: 10_000,
      request_id: randomUUID(),
      ...of,
    })
    .execute();
  return id;
}

/** How one ends, but when. */
export const LIVE_END: Omit<LiveEnd, 'at'> = {
  status: 'completed',
  audioMs: 25_000,
  outputTokens: 3,
  latencyMs: 200,
  finalsMs: 300,
  errorCode: null,
  errorType: null,
  errorMessage: null,
  settings: null,
};
