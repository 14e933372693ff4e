import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../platform/db/database.ts';

/** Begins every API key. Hexadecimal digits follow, so no API key looks like a temporary key (`prl_temp_…`). */
const API_KEY_PREFIX = 'prl_';
const RANDOM_BYTES = 24;

/** A used key's `last_used_at` is written at most once in this time, instead of at every request. Milliseconds. */
const LAST_USED_STEP_MS = 60_000;

/** The hash under which a key is stored. Keys are long and random, so a plain hash is enough. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** A new key. It is a valid WebSocket subprotocol (RFC 7230 token). */
export const newApiKey = (): string => API_KEY_PREFIX + randomBytes(RANDOM_BYTES).toString('hex');

/** The part of a key that is shown, to tell it from others. */
export const maskKey = (key: string): string => `${key.slice(0, API_KEY_PREFIX.length + 4)}…${key.slice(-4)}`;

/** A valid API key: known, not revoked, not expired. */
export interface KnownApiKey {
  id: string;
  projectId: string;
}

/**
 * Finds a key, and notes that it was used; undefined if it is unknown, revoked or expired. Every input costs one hash
 * and one look-up, so the time that it takes does not tell whether a key exists.
 */
export async function findApiKey(db: Db, key: string, now: Date): Promise<KnownApiKey | undefined> {
  const row = await db
    .selectFrom('api_keys')
    .select(['id', 'project_id', 'last_used_at'])
    .where('key_hash', '=', hashKey(key))
    .where('revoked_at', 'is', null)
    .where((or) => or.or([or('expires_at', 'is', null), or('expires_at', '>', now)]))
    .executeTakeFirst();
  if (!row) return undefined;
  if (row.last_used_at === null || now.getTime() - row.last_used_at.getTime() >= LAST_USED_STEP_MS)
    await db.updateTable('api_keys').set({ last_used_at: now }).where('id', '=', row.id).execute();
  return { id: row.id, projectId: row.project_id };
}
