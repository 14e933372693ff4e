/** Whether a request may begin: asked, and counted, in the transaction that begins it. */
import { sql } from 'kysely';
import type { LimitName } from '#contract/limits.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import { readBounds, type Place } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { MINUTE_MS, minuteOf, readUse, type Use } from './use.ts';

export type Scope = 'organization' | 'project';

/** A request that a limit refuses. */
export class LimitReached extends Error {
  readonly limit: LimitName;
  readonly scope: Scope;
  readonly value: number;
  /** Until the next request may begin, milliseconds; null where waiting alone does not help. */
  readonly waitMs: number | null;
  constructor(limit: LimitName, scope: Scope, value: number, waitMs: number | null = null) {
    super(`${limit} of the ${scope} is reached`);
    this.name = 'LimitReached';
    this.limit = limit;
    this.scope = scope;
    this.value = value;
    this.waitMs = waitMs;
  }
}

export type Begun = 'transcription' | 'kept_transcription' | 'temporary_key' | 'live_session';

/** Limits that are used up by what has ended: what begins does not race for them. */
const MONTHLY = ['budget_micros', 'audio_minutes'] as const satisfies readonly LimitName[];
/** Limits whose places are taken one by one. */
const PLACES: Readonly<Record<Begun, readonly LimitName[]>> = {
  transcription: ['requests_per_minute', 'waiting_jobs'],
  kept_transcription: ['requests_per_minute'],
  temporary_key: ['requests_per_minute'],
  live_session: ['requests_per_minute', 'concurrent_streams'],
};

export interface Admission {
  place: Place;
  /** By the database's clock. */
  now: Date;
}

interface Parts {
  clock: () => Date;
  limitDefaults: LimitDefaults;
}

/**
 * Checks that what was used this month leaves something for a request whose sound is heard. It sums up the month: ask before any lock
 * that others wait for. @throws LimitReached
 */
export async function checkMonth(db: Db, { clock, limitDefaults }: Parts, projectId: string): Promise<void> {
  const place = await placeOf(db, projectId);
  if (place !== undefined) await check(db, place, MONTHLY, limitDefaults, await databaseNow(db, clock));
}

/**
 * Admits a request of a project, and counts it as begun. Of one organization one is admitted at a time, to the end of the transaction,
 * so that two cannot take the last place, whatever processes they come to: each count is a statement after the lock, and so sees what
 * those before it have committed. What is refused is counted nowhere, as the transaction is undone.
 * @returns undefined when the project was deleted meanwhile
 * @throws LimitReached
 */
export async function admit(
  trx: Db,
  { clock, limitDefaults }: Parts,
  projectId: string,
  begun: Begun,
): Promise<Admission | undefined> {
  if (!(await lockProjectRow(trx, projectId, 'keep'))) return undefined;
  const place = await placeOf(trx, projectId);
  if (place === undefined) return undefined;
  await lockLimits(trx, place.organizationId);
  const now = await databaseNow(trx, clock);
  await check(trx, place, PLACES[begun], limitDefaults, now);
  await trx
    .deleteFrom('begun_requests')
    .where('organization_id', '=', place.organizationId)
    .where('at', '<=', minuteOf(now).since)
    .execute();
  await trx
    .insertInto('begun_requests')
    .values({ organization_id: place.organizationId, project_id: projectId, at: now })
    .execute();
  return { place, now };
}

/** Lets one request or change of an organization look at its limits at a time. Held to the end of the transaction; after the lock of a project. */
export async function lockLimits(trx: Db, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 1))`.execute(trx);
}

/** Undefined when the project is gone. */
export async function placeOf(db: Db, projectId: string): Promise<(Place & { projectId: string }) | undefined> {
  const row = await db.selectFrom('projects').select('organization_id').where('id', '=', projectId).executeTakeFirst();
  return row && { organizationId: row.organization_id, projectId };
}

/** @throws LimitReached */
async function check(
  db: Db,
  place: Place,
  names: readonly LimitName[],
  defaults: LimitDefaults,
  now: Date,
): Promise<void> {
  const bounds = await readBounds(db, place, defaults);
  for (const name of names) {
    const [organization, project] = [bounds.organization[name].value, bounds.project[name].value];
    // A project without a bound is in an organization without one.
    if (project === null) continue;
    const used = await readUse(db, place, name, now);
    const scope = reachedScope(used, { organization, project });
    if (scope === undefined) continue;
    const value = (scope === 'organization' ? organization : project) ?? 0;
    const waitMs =
      name === 'requests_per_minute' ? await nextRequest(db, place, scope, used[scope] - value, now) : null;
    throw new LimitReached(name, scope, value, waitMs);
  }
}

/** Which of both is used up: the organization, if it is. */
export function reachedScope(
  used: Use,
  values: { organization: number | null; project: number | null },
): Scope | undefined {
  if (values.organization !== null && used.organization >= values.organization) return 'organization';
  return values.project !== null && used.project >= values.project ? 'project' : undefined;
}

/** Until enough requests are older than a minute. @param excess how many more there are than may be, 0 for just as many */
async function nextRequest(
  db: Db,
  { organizationId, projectId }: Place,
  scope: Scope,
  excess: number,
  now: Date,
): Promise<number | null> {
  const row = await db
    .selectFrom('begun_requests')
    .select('at')
    .where('organization_id', '=', organizationId)
    .$if(scope === 'project' && projectId !== null, (query) => query.where('project_id', '=', projectId ?? ''))
    .where('at', '>', minuteOf(now).since)
    .where('at', '<=', minuteOf(now).until)
    .orderBy('at')
    .offset(excess)
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : row.at.getTime() + MINUTE_MS - now.getTime();
}
