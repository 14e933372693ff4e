import { createHash, randomBytes } from 'node:crypto';
import type { TemporaryKey, TemporaryKeyRequest } from '#contract/temporary-keys.ts';
import type { Db } from '../db/open.ts';

/** How a temporary key begins. The rest is random; all of it can stand in a WebSocket subprotocol (RFC 7230 token). */
export const TEMPORARY_KEY_PREFIX = 'prl_temp_';

/** Expired keys are kept for a day, to be told from invented ones in the operator's eyes; then they go. */
const KEPT_MS = 86_400_000;

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

/** A temporary key that is good to open a stream. */
export interface KnownKey {
  hash: string;
  projectId: string;
  singleUse: boolean;
  /** Bound on one stream, milliseconds. */
  maxSessionMs: number | null;
  clientReferenceId: string | null;
}

/** Makes a key for a project. Only its hash is kept. */
export async function mintKey(db: Db, projectId: string, request: TemporaryKeyRequest, now: Date): Promise<TemporaryKey> {
  const key = TEMPORARY_KEY_PREFIX + randomBytes(32).toString('base64url');
  const expires = new Date(now.getTime() + request.expires_in_seconds * 1000);
  await db.deleteFrom('temporary_keys').where('expires_at', '<', new Date(now.getTime() - KEPT_MS)).execute();
  await db
    .insertInto('temporary_keys')
    .values({
      key_hash: hashOf(key),
      project_id: projectId,
      expires_at: expires,
      single_use: request.single_use ?? false,
      max_session_ms: request.max_session_duration_seconds ? request.max_session_duration_seconds * 1000 : null,
      client_reference_id: request.client_reference_id ?? null,
      created_at: now,
    })
    .execute();
  return { api_key: key, expires_at: expires.toISOString() };
}

/** The key, if it exists, has not expired and is not used up. */
export async function findKey(db: Db, key: string, now: Date): Promise<KnownKey | undefined> {
  const row = await db.selectFrom('temporary_keys').selectAll().where('key_hash', '=', hashOf(key)).where('expires_at', '>', now).executeTakeFirst();
  if (!row || (row.single_use && row.used_at)) return undefined;
  return { hash: row.key_hash, projectId: row.project_id, singleUse: row.single_use, maxSessionMs: row.max_session_ms, clientReferenceId: row.client_reference_id };
}

/** Marks the key as used; false when a single-use key already was. */
export async function useKey(db: Db, key: KnownKey, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('temporary_keys')
    .set({ used_at: now })
    .where('key_hash', '=', key.hash)
    .$if(key.singleUse, (query) => query.where('used_at', 'is', null))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
