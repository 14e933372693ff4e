import { sql } from 'kysely';
import { inBatches, type Sweep } from '../../platform/retention.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';

/** The transcription's webhook has not been delivered or given up. */
const HAS_PENDING_WEBHOOK = sql`exists (select from jobs where subject = transcription.id and state <> 'dead')`;

/** Deletes transcriptions that ended before the sweep's date, with their transcripts. Keeps their recordings. */
export const removeOldTranscriptions = (sweep: Sweep): Promise<number> =>
  inBatches(sweep, async () => {
    const { rows } = await sql<{ projectId: string; ids: string[] }>`
      select project_id as "projectId", array_agg(id) as ids from (
        select id, project_id from transcriptions as transcription
        where finished_at < ${sweep.before} and status in ('completed', 'error') and not ${HAS_PENDING_WEBHOOK}
        order by finished_at limit ${sweep.batch}) as old
      group by project_id order by project_id`.execute(sweep.db);
    let removed = 0;
    for (const old of rows) if (!sweep.isStopped()) removed += await removeOfProject(sweep, old);
    return removed;
  });

/** Deletes transcriptions of one project, after locking the project. Rows that others hold stay for the next sweep. */
function removeOfProject({ db }: Sweep, { projectId, ids }: { projectId: string; ids: string[] }): Promise<number> {
  return db.transaction().execute(async (trx) => {
    if (!(await lockProjectRow(trx, projectId, 'keep'))) return 0;
    const { numAffectedRows } = await sql`delete from transcriptions where id in (
      select id from transcriptions as transcription where id = any (${ids}::uuid[]) and not ${HAS_PENDING_WEBHOOK}
      order by id for update skip locked)`.execute(trx);
    return Number(numAffectedRows ?? 0);
  });
}
