/**
 * The most concurrent live streams of a project by hour (UTC). A peak can only occur when a stream is admitted or when
 * an hour begins. Both are counted from the sessions, in a transaction that locks the project, so that processes agree.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import { leaseBound } from './concurrency.ts';

const HOUR_MS = 3_600_000;
/** No stream runs for longer. */
const LONGEST_MS = 24 * HOUR_MS;

/** The start of the hour of a moment. */
const hourOf = (moment: Date): Date => new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS);

/** Counts the running streams after one was admitted. Part of the transaction that admits it and locks the limits. */
export async function notePeak(trx: Db, projectId: string, now: Date): Promise<void> {
  await keepMost(
    trx,
    sql`select ${projectId}::uuid, ${hourOf(now)}::timestamptz, count(*)::int from live_sessions
      where project_id = ${projectId} and status = 'running' and lease_until > ${now} and lease_until <= ${leaseBound(now)}`,
  );
}

/**
 * Counts the streams at the start of each hour after `from` and before `until`.
 * @param from when a stream was admitted
 */
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

/**
 * Counts running streams at the start of each hour, so that metrics need not wait for their end. One for each process.
 */
export class PeakHours {
  #counted: Date;

  constructor(now: Date) {
    this.#counted = now;
  }

  /**
   * Counts at hours that have begun since the last call. Skips projects that are being deleted.
   * @param projects of running streams
   */
  async reach(db: Db, now: Date, projects: readonly string[]): Promise<void> {
    if (hourOf(now).getTime() === hourOf(this.#counted).getTime()) return;
    for (const projectId of new Set(projects))
      await db.transaction().execute(async (trx) => {
        if (await lockProjectRow(trx, projectId, 'keep_or_skip')) await carryPeaks(trx, projectId, this.#counted, now);
      });
    this.#counted = now;
  }
}

/** Stores counts, unless a higher one is stored. */
async function keepMost(trx: Db, counted: RawBuilder<unknown>): Promise<void> {
  await sql`insert into stream_peaks as known (project_id, step, streams) ${counted}
    on conflict (project_id, step) do update set streams = excluded.streams where known.streams < excluded.streams`.execute(
    trx,
  );
}
