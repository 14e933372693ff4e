/** Reads how much of each limit is used: by an organization with all its projects, and by one of its projects. */
import { sql, type RawBuilder } from 'kysely';
import type { LimitName } from '#contract/limits.ts';
import type { Db } from '../../platform/db/database.ts';
import { leaseBound } from '../usage/concurrency.ts';
import type { Place } from './bounds.ts';
import { readMonth, type Amount, type Month, type AmountByScope } from './month.ts';

/** In the unit of the limit. `project` is 0 if no project is given. */
export interface Use {
  organization: number;
  project: number;
}

/**
 * The minute up to now, in which requests are counted. Extends a little into the future for small differences between
 * clocks; leaves out rows of a clock that was far ahead.
 */
export const minuteOf = (now: Date): { since: Date; until: Date } => ({
  since: new Date(now.getTime() - MINUTE_MS),
  until: new Date(now.getTime() + JITTER_MS),
});
const JITTER_MS = 1000;
export const MINUTE_MS = 60_000;

/** Limits that count by month (UTC). */
export type MonthlyLimit = 'audio_minutes' | 'budget_micros';
export const isMonthly = (name: LimitName): name is MonthlyLimit =>
  name === 'audio_minutes' || name === 'budget_micros';

const projectsOf = (organizationId: string): RawBuilder<unknown> =>
  sql`select id from projects where organization_id = ${organizationId}`;

/** @param what an aggregate @param from a table with `project_id`, and the condition */
async function read(db: Db, { projectId }: Place, what: RawBuilder<number>, from: RawBuilder<unknown>): Promise<Use> {
  const { rows } = await sql<{ organization: number | null; project: number | null }>`
    select (${what})::bigint as organization,
      (${what} filter (where project_id = ${projectId}::uuid))::bigint as project
    from ${from}`.execute(db);
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

/** @param except id of a reservation to leave out */
export const readBytes = (db: Db, place: Place, now: Date, except: string | null = null): Promise<Use> =>
  read(
    db,
    place,
    sql`sum(bytes)`,
    sql`(select project_id, size as bytes from files where project_id in (${projectsOf(place.organizationId)})
      union all select project_id, bytes from upload_reservations
        where project_id in (${projectsOf(place.organizationId)})
        and lease_until > ${now} and lease_until <= ${leaseBound(now)} and id is distinct from ${except}::uuid) as kept`,
  );

/** Minutes are reported in thousandths: finer than a second, and without float noise. */
const STEPS_PER_MINUTE = 1000;

/** How each monthly limit is reported: the amount that it counts, the size of a step, and the steps per unit. */
const STEPS = {
  audio_minutes: { what: 'ms', size: MINUTE_MS / STEPS_PER_MINUTE, perUnit: STEPS_PER_MINUTE },
  budget_micros: { what: 'micros', size: 1, perUnit: 1 },
} as const satisfies Record<MonthlyLimit, { what: keyof Amount; size: number; perUnit: number }>;

/**
 * A month's use and reservations for the wire, in the unit of the limit: minutes in thousandths, micro-USD whole.
 * Rounds down `used` and `used + reserved`; `reserved` is their difference, so it may be off by a thousandth. Thus the
 * sum reaches a (whole) limit on the wire exactly when it does to the millisecond.
 */
export function monthlyUse(name: MonthlyLimit, { used, reserved }: Month): { used: Use; reserved: Use } {
  const { what, size, perUnit } = STEPS[name];
  const steps = (amount: number): number => Math.max(0, Math.floor(amount / size));
  const usedSteps = (scope: keyof AmountByScope): number => steps(used[scope][what]);
  const takenSteps = (scope: keyof AmountByScope): number => steps(used[scope][what] + reserved[scope][what]);
  const inUnits = (of: (scope: keyof AmountByScope) => number): Use => ({
    organization: of('organization') / perUnit,
    project: of('project') / perUnit,
  });
  return { used: inUnits(usedSteps), reserved: inUnits((scope) => takenSteps(scope) - usedSteps(scope)) };
}

/** Use plus reservations, in the unit of the limit; minutes to the millisecond. */
export function takenOf(name: MonthlyLimit, { used, reserved }: Month): Use {
  const { what, size, perUnit } = STEPS[name];
  const of = (scope: keyof AmountByScope): number => (used[scope][what] + reserved[scope][what]) / (size * perUnit);
  return { organization: of('organization'), project: of('project') };
}
