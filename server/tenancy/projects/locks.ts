import type { Db } from '../../platform/db/database.ts';

/**
 * Locks of a project's row, held to the end of the transaction. Whoever changes something in a project takes its lock before
 * all others, so that a deletion and the end of a transcription or of a live session never wait for each other.
 * @returns false when the project is gone
 */
export async function lockProjectRow(
  transaction: Db,
  projectId: string,
  lock: 'keep' | 'change' | 'delete',
): Promise<boolean> {
  const row = transaction.selectFrom('projects').select('id').where('id', '=', projectId);
  const locked = lock === 'keep' ? row.forKeyShare() : lock === 'change' ? row.forNoKeyUpdate() : row.forUpdate();
  return (await locked.executeTakeFirst()) !== undefined;
}

/**
 * Whether what a project uses is still billed to somebody: it is there, or its organization remembers it. Holds what it found, so that
 * the organization is not deleted before the end of the transaction.
 */
export async function lockBilled(transaction: Db, projectId: string): Promise<boolean> {
  return (
    (await lockProjectRow(transaction, projectId, 'keep')) ||
    (await transaction
      .selectFrom('deleted_projects')
      .select('id')
      .where('id', '=', projectId)
      .forKeyShare()
      .executeTakeFirst()) !== undefined
  );
}
