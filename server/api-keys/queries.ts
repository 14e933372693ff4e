import { randomUUID } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { ApiKey, ApiKeyCreate, ApiKeyCreated } from '#contract/api-keys.ts';
import { tellAccessEnded } from '../access/ended.ts';
import { note, type Act } from '../audit/log.ts';
import type { Db } from '../db/open.ts';
import type { SpeechTables } from '../db/speech-tables.ts';
import type { ProjectAccess } from '../projects/queries.ts';
import { hashKey, maskKey, newApiKey } from './keys.ts';

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
export async function addApiKey(db: Db, act: Act, { projectId, organizationId, name: project }: ProjectAccess, { name, expires_at }: ApiKeyCreate): Promise<ApiKeyCreated> {
  const key = newApiKey();
  return db.transaction().execute(async (trx) => {
    const row = await trx
      .insertInto('api_keys')
      .values({
        id: randomUUID(), project_id: projectId, name, masked: maskKey(key), key_hash: hashKey(key),
        created_by: act.userId, created_at: act.at, expires_at: expires_at ? new Date(expires_at) : null,
      })
      .returning(['id', 'name', 'masked', 'created_at', 'last_used_at', 'expires_at'])
      .executeTakeFirstOrThrow();
    await note(trx, act, { organizationId, action: 'api_key.created', subject: name, project, detail: row.masked });
    return { api_key: toApiKey(row, act.email), key };
  });
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
export async function revokeApiKey(db: Db, act: Act, { projectId, organizationId, name: project }: ProjectAccess, id: string): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const key = await trx.updateTable('api_keys').set({ revoked_at: act.at }).where('project_id', '=', projectId).where('id', '=', id).where('revoked_at', 'is', null)
      .returning(['name', 'masked']).executeTakeFirst();
    if (!key) return false;
    await note(trx, act, { organizationId, action: 'api_key.revoked', subject: key.name, project, detail: key.masked });
    await tellAccessEnded(trx);
    return true;
  });
}
