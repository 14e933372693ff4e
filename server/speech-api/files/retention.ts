import { sql } from 'kysely';
import { enqueueAll } from '../../platform/jobs/queue.ts';
import { inBatches, type Sweep } from '../../platform/retention.ts';
import { REMOVE_STORED } from '../../platform/storage/remove-stored.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';

/** A waiting or running transcription needs the recording. */
const IN_USE = sql`exists (select from transcriptions where file_id = file.id and status in ('queued', 'processing'))`;

/**
 * Deletes old recordings, and keeps their transcriptions. A job removes the bytes; it waits while a backup runs or the
 * storage does not answer.
 */
export const removeOldFiles = (sweep: Sweep): Promise<number> =>
  inBatches(sweep, async () => {
    const { rows } = await sql<{ projectId: string; ids: string[] }>`
      select project_id as "projectId", array_agg(id) as ids from (
        select id, project_id from files as file where created_at < ${sweep.before} and not ${IN_USE}
        order by created_at limit ${sweep.batch}) as old
      group by project_id order by project_id`.execute(sweep.db);
    let removed = 0;
    for (const old of rows) if (!sweep.isStopped()) removed += await removeOfProject(sweep, old);
    return removed;
  });

/** Deletes files of one project. Skips locked rows; the next sweep finds them. */
function removeOfProject(
  { db, now }: Sweep,
  { projectId, ids }: { projectId: string; ids: string[] },
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    if (!(await lockProjectRow(trx, projectId, 'keep'))) return 0;
    const { rows: held } = await sql<{ id: string }>`
      select id from files where id = any (${ids}::uuid[]) order by id for update skip locked`.execute(trx);
    // Checks use again: a transcription may have begun before the lock.
    const { rows: gone } = await sql<{ id: string }>`
      delete from files as file where id = any (${held.map(({ id }) => id)}::uuid[]) and not ${IN_USE} returning id`.execute(
      trx,
    );
    await enqueueAll(trx, { kind: REMOVE_STORED, subjects: gone.map(({ id }) => id), now });
    return gone.length;
  });
}
