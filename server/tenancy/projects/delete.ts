import { sql, type Transaction } from 'kysely';
import { tellAccessEnded } from '../access/ended.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { REMOVE_STORED } from '../../platform/storage/remove-stored.ts';
import { cancelJobs, enqueueAll } from '../../platform/jobs/queue.ts';
import { lockProjectRow } from './locks.ts';
import type { ProjectAccess } from '../../http/env.ts';

/**
 * Takes the requests of a project that have not ended, before they are deleted with it.
 * @returns writes down what they used: the last that the transaction does
 */
export type CancelOnDelete = (
  transaction: Transaction<Schema>,
  of: { projectId: string },
  now: Date,
) => Promise<() => Promise<void>>;

/**
 * Deletes a project with everything in it, as part of a transaction that holds its lock. Rows and keys are gone with it; transcriptions that run
 * or wait are cancelled, live sessions told, and the bytes of recordings removed as soon as it is through. What it used stays in the
 * organization's reports, under the name that it had.
 * @returns writes down what is cancelled: the last that the transaction does
 */
export async function removeProject(
  transaction: Transaction<Schema>,
  projectId: string,
  now: Date,
  cancelOnDelete: CancelOnDelete,
): Promise<() => Promise<void>> {
  const files = await transaction.selectFrom('files').select('id').where('project_id', '=', projectId).execute();
  const transcriptions = await transaction
    .selectFrom('transcriptions')
    .select(['id', 'audio_url', 'status'])
    .where('project_id', '=', projectId)
    .execute();
  // What was fetched for a transcription is stored under its id until it has ended.
  const fetched = transcriptions.filter(
    ({ audio_url, status }) => audio_url !== null && (status === 'queued' || status === 'processing'),
  );
  await transaction
    .insertInto('deleted_projects')
    .columns(['id', 'organization_id', 'name', 'deleted_at'])
    .expression((eb) =>
      eb
        .selectFrom('projects')
        .select(['id', 'organization_id', 'name', sql<Date>`${now}::timestamptz`.as('deleted_at')])
        .where('id', '=', projectId),
    )
    .execute();
  // First the jobs, then their transcriptions, as workers do.
  await cancelJobs(
    transaction,
    transcriptions.map(({ id }) => id),
  );
  const writeCancelled = await cancelOnDelete(transaction, { projectId }, now);
  await transaction.deleteFrom('projects').where('id', '=', projectId).execute();
  // Those that run are told below, and write down themselves what they used; so may those that were taken for dead.
  await transaction
    .deleteFrom('live_sessions')
    .where('project_id', '=', projectId)
    .where('status', '<>', 'running')
    .where('taken_for_dead', '=', false)
    .execute();
  await enqueueAll(transaction, { kind: REMOVE_STORED, subjects: [...files, ...fetched].map(({ id }) => id), now });
  await tellAccessEnded(transaction);
  return writeCancelled;
}

/** False when it was deleted meanwhile. */
export async function deleteProject(
  db: Db,
  act: Act,
  { projectId, organizationId, name }: ProjectAccess,
  cancelOnDelete: CancelOnDelete,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await lockProjectRow(transaction, projectId, 'delete'))) return false;
    const writeCancelled = await removeProject(transaction, projectId, act.at, cancelOnDelete);
    await recordAudit(transaction, act, { organizationId, action: 'project.deleted', subject: name, project: name });
    await writeCancelled();
    return true;
  });
}
