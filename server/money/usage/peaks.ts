/**
 * The most live streams of a project at once, by the hour of UTC. It is reached where a stream is admitted, or where the hour begins: both
 * are counted from the sessions, in a transaction that holds the project, so that several processes tell the same.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import { leaseBound } from './concurrency.ts';

const HOUR_MS = 3_600_000;
/** No stream runs for longer. */
const LONGEST_MS = 24 * HOUR_MS;

/** When the hour of a moment begins. */
const hourOf = (moment: Date): Date => new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS);

/** A stream was admitted: what the hour has now. Part of the transaction that admits it, and so alone in its organization. */
export async function notePeak(trx: Db, projectId: string, now: Date): Promise<void> {
  await keepMost(
    trx,
    sql`select ${projectId}::uuid, ${hourOf(now)}::timestamptz, count(*)::int from live_sessions
      where project_id = ${projectId} and status = 'running' and lease_until > ${now} and lease_until <= ${leaseBound(now)}`,
  );
}

/** Streams ran on into other hours: what each of these began with. @param from the moment that one was admitted at; the hours begin after it, and before `until` */
export async function carryPeaks(trx: Db, projectId: string, from: Date, until: Date): Promise<void> {
  const first = new Date(hourOf(from).getTime() + HOUR_MS);
  if (first >= until) return;
  await keepMost(
    trx,
    sql`select ${projectId}::uuid, hour, (
        select count(*)::int from live_sessions where project_id = ${projectId}
          and started_at <= hour and started_at > hour - ${LONGEST_MS} * interval '1 ms'
          and case when status = 'running' then lease_until else ended_at end > hour)
      from generate_series(${first}::timestamptz, ${until}::timestamptz, interval '1 hour') as hour where hour < ${until}
      order by hour`,
  );
}

/** What runs on into an hour is told from its beginning, not only when it ends. One of each process that holds streams. */
export class PeakHours {
  #told: Date;

  constructor(now: Date) {
    this.#told = now;
  }

  /** Tells the beginning of hours that have begun since the last time, but of projects that are being deleted. @param projects of the streams that run here */
  async reach(db: Db, now: Date, projects: readonly string[]): Promise<void> {
    if (hourOf(now).getTime() === hourOf(this.#told).getTime()) return;
    for (const projectId of new Set(projects))
      await db.transaction().execute(async (trx) => {
        if (await lockProjectRow(trx, projectId, 'keep_at_once')) await carryPeaks(trx, projectId, this.#told, now);
      });
    this.#told = now;
  }
}

/** Sessions tell no less than was counted before. */
async function keepMost(trx: Db, counted: RawBuilder<unknown>): Promise<void> {
  await sql`insert into stream_peaks as known (project_id, step, streams) ${counted}
    on conflict (project_id, step) do update set streams = excluded.streams where known.streams < excluded.streams`.execute(
    trx,
  );
}
