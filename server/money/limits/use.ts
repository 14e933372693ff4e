/** What is used of each limit: by an organization, all its projects together, and by one project of it. */
import { sql, type RawBuilder } from 'kysely';
import type { LimitName } from '#contract/limits.ts';
import type { Db } from '../../platform/db/database.ts';
import { leaseBound } from '../usage/concurrency.ts';
import type { Place } from './bounds.ts';
import { readMonth, type Amount, type Month, type Taken } from './month.ts';

/** In the unit of the limit. `project` is 0 of no project. */
export interface Use {
  organization: number;
  project: number;
}

/** The minute up to now in which requests are counted. What a clock wrote that was ahead is not in it; one that is read in the same moment may differ a little. */
export const minuteOf = (now: Date): { since: Date; until: Date } => ({
  since: new Date(now.getTime() - MINUTE_MS),
  until: new Date(now.getTime() + JITTER_MS),
});
const JITTER_MS = 1000;
export const MINUTE_MS = 60_000;

/** Limits of a month of UTC. */
export type MonthlyLimit = 'audio_minutes' | 'budget_micros';
export const isMonthly = (name: LimitName): name is MonthlyLimit =>
  name === 'audio_minutes' || name === 'budget_micros';

const projectsOf = (organizationId: string): RawBuilder<unknown> =>
  sql`select id from projects where organization_id = ${organizationId}`;

/** @param what an aggregate; `from` its tables, with `project_id` and the condition */
async function read(db: Db, { projectId }: Place, what: RawBuilder<number>, from: RawBuilder<unknown>): Promise<Use> {
  const { rows } = await sql<{ organization: number | null; project: number | null }>`
    select (${what})::bigint as organization, (${what} filter (where project_id = ${projectId}::uuid))::bigint as project from ${from}`.execute(
    db,
  );
  const of = (value: number | null | undefined): number => Math.max(0, Number(value ?? 0));
  return { organization: of(rows[0]?.organization), project: of(rows[0]?.project) };
}

const COUNT = sql<number>`count(*)`;

/** @param now by the database's clock */
export async function readUse(db: Db, place: Place, name: LimitName, now: Date): Promise<Use> {
  const { organizationId } = place;
  switch (name) {
    case 'requests_per_minute':
      return read(
        db,
        place,
        COUNT,
        sql`begun_requests where organization_id = ${organizationId} and at > ${minuteOf(now).since} and at <= ${minuteOf(now).until}`,
      );
    case 'concurrent_streams':
      return read(
        db,
        place,
        COUNT,
        sql`live_sessions where project_id in (${projectsOf(organizationId)}) and status = 'running'
          and lease_until > ${now} and lease_until <= ${leaseBound(now)}`,
      );
    case 'waiting_jobs':
      return read(
        db,
        place,
        COUNT,
        sql`transcriptions where project_id in (${projectsOf(organizationId)}) and status in ('queued', 'processing')`,
      );
    case 'stored_bytes':
      return readBytes(db, place, now);
    case 'audio_minutes':
    case 'budget_micros':
      return monthlyUse(name, await readMonth(db, place, now)).used;
  }
}

/** @param except a reservation that does not count @param slack what each of the others may give back when its upload ends */
export const readBytes = (db: Db, place: Place, now: Date, except: string | null = null, slack = 0): Promise<Use> =>
  read(
    db,
    place,
    sql`sum(bytes)`,
    sql`(select project_id, size as bytes from files where project_id in (${projectsOf(place.organizationId)})
      union all select project_id, greatest(bytes - ${slack}::bigint, 0) from upload_reservations where project_id in (${projectsOf(place.organizationId)})
        and lease_until > ${now} and lease_until <= ${leaseBound(now)} and id is distinct from ${except}::uuid) as kept`,
  );

/** Minutes are told in these steps: finer than a second, and without a float's dust. */
const STEPS_PER_MINUTE = 1000;

/** What the limits of a month count; how much of it is a step in which it is told, and how many of these their unit has. */
const STEPS = {
  audio_minutes: { what: 'ms', size: MINUTE_MS / STEPS_PER_MINUTE, perUnit: STEPS_PER_MINUTE },
  budget_micros: { what: 'micros', size: 1, perUnit: 1 },
} as const satisfies Record<MonthlyLimit, { what: keyof Amount; size: number; perUnit: number }>;

/**
 * What is told of a month, in the unit of the limit: minutes in thousandths, micro-USD whole. What is used is rounded down, and so is what
 * is used and reserved together; `reserved` is the difference, up to a thousandth less or more than it is. As limits are whole, both reach
 * one on the wire exactly when they do to the millisecond: not before, as rounded up, and not late, as each part rounded down.
 */
export function monthlyUse(name: MonthlyLimit, { used, reserved }: Month): { used: Use; reserved: Use } {
  const { what, size, perUnit } = STEPS[name];
  const steps = (amount: number): number => Math.max(0, Math.floor(amount / size));
  const usedSteps = (scope: keyof Taken): number => steps(used[scope][what]);
  const takenSteps = (scope: keyof Taken): number => steps(used[scope][what] + reserved[scope][what]);
  const told = (of: (scope: keyof Taken) => number): Use => ({
    organization: of('organization') / perUnit,
    project: of('project') / perUnit,
  });
  return { used: told(usedSteps), reserved: told((scope) => takenSteps(scope) - usedSteps(scope)) };
}

/** What is used and reserved together, in the unit of the limit: of minutes to the millisecond. */
export function takenOf(name: MonthlyLimit, { used, reserved }: Month): Use {
  const { what, size, perUnit } = STEPS[name];
  const of = (scope: keyof Taken): number => (used[scope][what] + reserved[scope][what]) / (size * perUnit);
  return { organization: of('organization'), project: of('project') };
}
