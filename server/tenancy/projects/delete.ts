import { sql, type Transaction } from 'kysely';
import { announceAccessEnded } from '../access/ended.ts';
import { recordAudit, type Act } from '../audit/log.ts';
import type { Db } from '../../platform/db/database.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { REMOVE_STORED } from '../../platform/storage/remove-stored.ts';
import { cancelJobs, enqueueAll } from '../../platform/jobs/queue.ts';
import { projectNotFound } from '../not-found.ts';
import { lockProjectRow } from './locks.ts';
import type { ProjectAccess } from '../../platform/callers.ts';

/**
 * Cancels the waiting and running transcriptions of a project that is being deleted.
 * @returns a function that writes their usage; call it last in the transaction
 */
export type CancelOnDelete = (
  transaction: Transaction<Schema>,
  of: { projectId: string },
  now: Date,
) => Promise<() => Promise<void>>;

/**
 * Deletes a project with all its rows and keys, in the caller's transaction, which holds its lock. Cancels its
 * transcriptions, announces the end to its live sessions, and queues the removal of stored recordings. Its usage stays
 * in the organization's reports, under its name.
 * @returns a function that writes the usage of cancelled transcriptions; call it last in the transaction
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
  // A recording fetched from a URL is stored under the transcription's id until the transcription ends.
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
  // Locks jobs before transcriptions, as workers do.
  await cancelJobs(
    transaction,
    transcriptions.map(({ id }) => id),
  );
  const writeCancelled = await cancelOnDelete(transaction, { projectId }, now);
  await transaction.deleteFrom('projects').where('id', '=', projectId).execute();
  // Running sessions hear of the end below and then write their usage; sessions taken for dead may do so too.
  await transaction
    .deleteFrom('live_sessions')
    .where('project_id', '=', projectId)
    .where('status', '<>', 'running')
    .where('taken_for_dead', '=', false)
    .execute();
  await enqueueAll(transaction, { kind: REMOVE_STORED, subjects: [...files, ...fetched].map(({ id }) => id), now });
  await announceAccessEnded(transaction);
  return writeCancelled;
}

/** Deletes a project. @throws Refusal not_found if it is gone already */
export async function deleteProject(
  db: Db,
  act: Act,
  { projectId, organizationId, name }: ProjectAccess,
  cancelOnDelete: CancelOnDelete,
): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    if (!(await lockProjectRow(transaction, projectId, 'delete'))) throw projectNotFound();
    const writeCancelled = await removeProject(transaction, projectId, act.at, cancelOnDelete);
    await recordAudit(transaction, act, { organizationId, action: 'project.deleted', subject: name, project: name });
    await writeCancelled();
  });
}
