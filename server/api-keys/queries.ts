import { randomUUID } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import type { ApiKey, ApiKeyCreate, ApiKeyCreated } from '#contract/api-keys.ts';
import type { Db } from '../db/open.ts';
import type { SpeechTables } from '../db/speech-tables.ts';
import { hashKey, maskKey, newApiKey } from './keys.ts';

/** The channel on which a revocation is told, so that streams of the key end at once. */
export const KEY_REVOKED_CHANNEL = 'api_key_revoked';

type Row = Pick<Selectable<SpeechTables['api_keys']>, 'id' | 'name' | 'masked' | 'created_at' | 'last_used_at' | 'expires_at'>;

const toApiKey = (row: Row, createdBy: string | null): ApiKey => ({
  uuid: row.id,
  name: row.name,
  masked_key: row.masked,
  created_at: row.created_at.toISOString(),
  created_by: createdBy,
  last_used_at: row.last_used_at?.toISOString() ?? null,
  expires_at: row.expires_at?.toISOString() ?? null,
});

/** Makes a key for a project. Only its hash is kept: the answer is the one time that it can be read. */
export async function addApiKey(db: Db, projectId: string, by: { userId: string; email: string }, { name, expires_at }: ApiKeyCreate, now: Date): Promise<ApiKeyCreated> {
  const key = newApiKey();
  const row = await db
    .insertInto('api_keys')
    .values({
      id: randomUUID(), project_id: projectId, name, masked: maskKey(key), key_hash: hashKey(key),
      created_by: by.userId, created_at: now, expires_at: expires_at ? new Date(expires_at) : null,
    })
    .returning(['id', 'name', 'masked', 'created_at', 'last_used_at', 'expires_at'])
    .executeTakeFirstOrThrow();
  return { api_key: toApiKey(row, by.email), key };
}

/** Keys of a project that were not revoked, newest first; expired ones are among them. */
export async function listApiKeys(db: Db, projectId: string): Promise<ApiKey[]> {
  const rows = await db
    .selectFrom('api_keys')
    .leftJoin('users', 'users.id', 'api_keys.created_by')
    .select(['api_keys.id', 'api_keys.name', 'api_keys.masked', 'api_keys.created_at', 'api_keys.last_used_at', 'api_keys.expires_at', 'users.email'])
    .where('api_keys.project_id', '=', projectId)
    .where('api_keys.revoked_at', 'is', null)
    .orderBy('api_keys.position', 'desc')
    .execute();
  return rows.map((row) => toApiKey(row, row.email));
}

/**
 * Ends a key for good, and with it the temporary keys made by it (they ask for it). The row stays, for what was used with it.
 * @returns false when the project has no such key, or it was revoked before
 */
export async function revokeApiKey(db: Db, projectId: string, id: string, now: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx.updateTable('api_keys').set({ revoked_at: now }).where('project_id', '=', projectId).where('id', '=', id).where('revoked_at', 'is', null).executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) return false;
    await sql`select pg_notify(${KEY_REVOKED_CHANNEL}, ${id})`.execute(trx);
    return true;
  });
}
