import { createHash, randomBytes } from 'node:crypto';
import type { Db } from '../../platform/db/database.ts';

/** How a project's key begins. What follows is hexadecimal, so that no key can look like a temporary one (`prl_temp_…`). */
const API_KEY_PREFIX = 'prl_';
const RANDOM_BYTES = 24;

/** `last_used_at` is at most this old; a key in use costs one write in this time, not one per request. Milliseconds. */
const LAST_USED_STEP_MS = 60_000;

/** How keys are stored. They are long and random, so a plain hash is enough. */
export const hashKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** A new key; all of it can stand in a WebSocket subprotocol (RFC 7230 token). */
export const newApiKey = (): string => API_KEY_PREFIX + randomBytes(RANDOM_BYTES).toString('hex');

/** Enough of a key to tell it from others. */
export const maskKey = (key: string): string => `${key.slice(0, API_KEY_PREFIX.length + 4)}…${key.slice(-4)}`;

/** A project's key that is good to call with. */
export interface KnownApiKey {
  id: string;
  projectId: string;
}

/**
 * Whose key this is; undefined when it is unknown, revoked or expired. Every text costs the same: one hash and one
 * look-up by it, so that timing tells nothing about keys that exist.
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
