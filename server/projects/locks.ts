import type { Db } from '../db/open.ts';

/**
 * Locks of a project's row, held to the end of the transaction. Whoever changes something in a project takes its lock before
 * all others, so that a deletion and the end of a transcription or of a live session never wait for each other.
 * @returns false when the project is gone
 */
export async function lockProjectRow(transaction: Db, projectId: string, lock: 'keep' | 'change' | 'delete'): Promise<boolean> {
  const row = transaction.selectFrom('projects').select('id').where('id', '=', projectId);
  const locked = lock === 'keep' ? row.forKeyShare() : lock === 'change' ? row.forNoKeyUpdate() : row.forUpdate();
  return (await locked.executeTakeFirst()) !== undefined;
}
