import { sql } from 'kysely';
import { inBatches, type Sweep } from '../../platform/retention.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';

/** A webhook is still to tell of it. */
const IS_TO_BE_TOLD = sql`exists (select from jobs where subject = transcription.id and state <> 'dead')`;

/** Deletes transcriptions that ended long ago, with their transcripts. Their recordings stay. */
export const removeOldTranscriptions = (sweep: Sweep): Promise<number> =>
  inBatches(sweep, async () => {
    const { rows } = await sql<{ projectId: string; ids: string[] }>`
      select project_id as "projectId", array_agg(id) as ids from (
        select id, project_id from transcriptions as transcription
        where finished_at < ${sweep.before} and status in ('completed', 'error') and not ${IS_TO_BE_TOLD}
        order by finished_at limit ${sweep.batch}) as old
      group by project_id order by project_id`.execute(sweep.db);
    let removed = 0;
    for (const old of rows) if (!sweep.isStopped()) removed += await removeOf(sweep, old);
    return removed;
  });

/** Those of one project, whose lock comes before that of its rows. One that somebody holds just now waits for the next look. */
function removeOf({ db }: Sweep, { projectId, ids }: { projectId: string; ids: string[] }): Promise<number> {
  return db.transaction().execute(async (trx) => {
    if (!(await lockProjectRow(trx, projectId, 'keep'))) return 0;
    const { numAffectedRows } = await sql`delete from transcriptions where id in (
      select id from transcriptions as transcription where id = any (${ids}::uuid[]) and not ${IS_TO_BE_TOLD}
      order by id for update skip locked)`.execute(trx);
    return Number(numAffectedRows ?? 0);
  });
}
