import type { Db } from '../../platform/db/database.ts';

type Keep = 'keep' | 'keep_at_once';

/**
 * Locks of a project's row, held to the end of the transaction. Whoever changes something in a project takes its lock before
 * all others, so that a deletion and the end of a transcription or of a live session never wait for each other.
 * @param lock `keep_at_once`: of what others wait for, and so waits for no deletion
 * @returns false when the project is gone; at once also when it is being deleted
 */
export async function lockProjectRow(
  transaction: Db,
  projectId: string,
  lock: Keep | 'change' | 'delete',
): Promise<boolean> {
  const row = transaction.selectFrom('projects').select('id').where('id', '=', projectId);
  const locked = lock === 'delete' ? row.forUpdate() : lock === 'change' ? row.forNoKeyUpdate() : row.forKeyShare();
  return (await (lock === 'keep_at_once' ? locked.skipLocked() : locked).executeTakeFirst()) !== undefined;
}

/**
 * Whether what a project uses is still billed to somebody: it is there, or its organization remembers it. Holds what it found, so that
 * the organization is not deleted before the end of the transaction.
 */
export async function lockBilled(transaction: Db, projectId: string, keep: Keep = 'keep'): Promise<boolean> {
  if (await lockProjectRow(transaction, projectId, keep)) return true;
  const row = transaction.selectFrom('deleted_projects').select('id').where('id', '=', projectId).forKeyShare();
  return (await (keep === 'keep' ? row : row.skipLocked()).executeTakeFirst()) !== undefined;
}
