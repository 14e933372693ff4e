import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';

/** Live sessions that run now, over every process. */
export interface RunningStreams {
  project: number;
  /** Of all projects of the project's organization. */
  organization: number;
}

/** A lease ends sooner; one that does not was written by a clock that was ahead. Twice a lease, for processes whose clocks differ. Milliseconds. */
const LEASE_MAX_MS = 60_000;

/** The moment from which on a lease is none. */
export const leaseBound = (now: Date): Date => new Date(now.getTime() + LEASE_MAX_MS);

/** Counts the sessions whose process still lives. */
export async function countRunningStreams(db: Db, projectId: string, now: Date): Promise<RunningStreams> {
  const row = await db
    .selectFrom('live_sessions')
    .innerJoin('projects', 'projects.id', 'live_sessions.project_id')
    .select((eb) => [
      eb.fn.countAll().as('organization'),
      eb.fn.countAll().filterWhere('live_sessions.project_id', '=', projectId).as('project'),
    ])
    .where('projects.organization_id', '=', (eb) =>
      eb.selectFrom('projects').select('organization_id').where('id', '=', projectId),
    )
    .where('live_sessions.status', '=', 'running')
    .where('live_sessions.lease_until', '>', now)
    .where('live_sessions.lease_until', '<=', leaseBound(now))
    .executeTakeFirstOrThrow();
  return { project: Number(row.project), organization: Number(row.organization) };
}

/** Sessions of a project that began between two moments, however they went on. */
export async function countStarts(
  db: Db,
  projectId: string,
  { since, until }: { since: Date; until: Date },
): Promise<number> {
  const { starts } = await db
    .selectFrom('live_sessions')
    .select((eb) => eb.fn.countAll().as('starts'))
    .where('project_id', '=', projectId)
    .where('started_at', '>', since)
    .where('started_at', '<=', until)
    .executeTakeFirstOrThrow();
  return Number(starts);
}

/**
 * Lets one session of an organization be admitted at a time, so that two cannot take the last place. Held to the end of the transaction.
 * @returns false when the project was deleted meanwhile
 */
export async function lockAdmission(trx: Db, projectId: string): Promise<boolean> {
  if (!(await lockProjectRow(trx, projectId, 'keep'))) return false;
  await sql`select pg_advisory_xact_lock(hashtextextended(organization_id::text, 1)) from projects where id = ${projectId}`.execute(
    trx,
  );
  return true;
}
