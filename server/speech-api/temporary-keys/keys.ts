import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { TemporaryKey, TemporaryKeyRequest } from '#contract/temporary-keys.ts';
import { hashKey } from '../../tenancy/api-keys/keys.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Caller } from '../../platform/callers.ts';
import { mayUsePlayground } from '../../tenancy/projects/queries.ts';

/** Begins every temporary key. The whole key is a valid WebSocket subprotocol (RFC 7230 token). */
export const TEMPORARY_KEY_PREFIX = 'prl_temp_';

/** Expired keys are kept for a day, so that the operator can tell them from invented ones. Milliseconds. */
const KEPT_MS = 86_400_000;

/** A valid temporary key. */
export interface KnownKey {
  hash: string;
  /** The caller that made the key; its streams count as theirs. */
  maker: Caller;
  singleUse: boolean;
  /** Longest stream, milliseconds. */
  maxSessionMs: number | null;
  clientReferenceId: string | null;
}

/** Makes a temporary key, and stores its hash. It ends with the API key that made it, or with its maker's access. */
export async function mintKey(
  db: Db,
  { projectId, origin, apiKeyId, userId }: Caller,
  request: TemporaryKeyRequest,
  now: Date,
): Promise<TemporaryKey> {
  const key = TEMPORARY_KEY_PREFIX + randomBytes(32).toString('base64url');
  const expires = new Date(now.getTime() + request.expires_in_seconds * 1000);
  const { expires_at } = await db
    .with('forgotten', (query) =>
      query.deleteFrom('temporary_keys').where('expires_at', '<', new Date(now.getTime() - KEPT_MS)),
    )
    .insertInto('temporary_keys')
    .values({
      key_hash: hashKey(key),
      project_id: projectId,
      expires_at: sql`least(${expires}::timestamptz, (select expires_at from api_keys where id = ${apiKeyId}))`,
      single_use: request.single_use ?? false,
      max_session_ms: request.max_session_duration_seconds ? request.max_session_duration_seconds * 1000 : null,
      client_reference_id: request.client_reference_id ?? null,
      created_at: now,
      origin,
      api_key_id: apiKeyId,
      user_id: userId,
    })
    .returning('expires_at')
    .executeTakeFirstOrThrow();
  return { api_key: key, expires_at: expires_at.toISOString() };
}

/**
 * Finds a key that has not expired and is not used up. Also checks that the API key that made it is not revoked, or
 * that the console's user who made it may still use the project.
 */
export async function findKey(db: Db, key: string, now: Date): Promise<KnownKey | undefined> {
  const row = await db
    .selectFrom('temporary_keys')
    .leftJoin('api_keys', 'api_keys.id', 'temporary_keys.api_key_id')
    .selectAll('temporary_keys')
    .where('temporary_keys.key_hash', '=', hashKey(key))
    .where('temporary_keys.expires_at', '>', now)
    .where('api_keys.revoked_at', 'is', null)
    .executeTakeFirst();
  if (!row || (row.single_use && row.used_at)) return undefined;
  if (row.user_id !== null && !(await mayUsePlayground(db, row.user_id, row.project_id))) return undefined;
  return {
    hash: row.key_hash,
    maker: { projectId: row.project_id, origin: row.origin, apiKeyId: row.api_key_id, userId: row.user_id },
    singleUse: row.single_use,
    maxSessionMs: row.max_session_ms,
    clientReferenceId: row.client_reference_id,
  };
}

/** Marks the key as used. @returns false if it is for a single use and was used before */
export async function useKey(db: Db, key: KnownKey, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('temporary_keys')
    .set({ used_at: now })
    .where('key_hash', '=', key.hash)
    .$if(key.singleUse, (query) => query.where('used_at', 'is', null))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
