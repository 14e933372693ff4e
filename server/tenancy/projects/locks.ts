import type { Db } from '../../platform/db/database.ts';

type Keep = 'keep' | 'keep_or_skip';

/** A locked project's organization. */
interface LockedProject {
  organizationId: string;
}

/**
 * Locks a project's row until the transaction ends. Every change in a project takes this lock first, so that a deletion
 * cannot deadlock with the end of a transcription or live session.
 * @param lock `keep_or_skip` does not wait: it skips a project that is being deleted
 * @returns undefined if the project is gone, or was skipped
 */
export async function lockProjectRow(
  transaction: Db,
  projectId: string,
  lock: Keep | 'change' | 'delete',
): Promise<LockedProject | undefined> {
  const row = transaction
    .selectFrom('projects')
    .select('organization_id as organizationId')
    .where('id', '=', projectId);
  const locked = lock === 'delete' ? row.forUpdate() : lock === 'change' ? row.forNoKeyUpdate() : row.forKeyShare();
  return (lock === 'keep_or_skip' ? locked.skipLocked() : locked).executeTakeFirst();
}

/**
 * Locks a project, or the row that its organization keeps of a deleted one, so that the organization is not deleted
 * before the transaction ends. @returns false if neither exists: then nobody is billed for the project's usage
 */
export async function lockBilled(transaction: Db, projectId: string, keep: Keep = 'keep'): Promise<boolean> {
  if ((await lockProjectRow(transaction, projectId, keep)) !== undefined) return true;
  const row = transaction.selectFrom('deleted_projects').select('id').where('id', '=', projectId).forKeyShare();
  return (await (keep === 'keep' ? row : row.skipLocked()).executeTakeFirst()) !== undefined;
}
