/** Admits requests and counts them, in the transaction that begins them. */
import { sql } from 'kysely';
import type { LimitName } from '#contract/limits.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import { readBounds, type Place } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { LimitReached, type Scope } from './errors.ts';
import type { Amount } from './month.ts';
import { pricesToPromise, toPromise } from '../usage/price-lists.ts';
import { findReservation, type FirstWish } from './reservations.ts';
import { MINUTE_MS, minuteOf, readUse, type Use } from './use.ts';

/** A kind of request that counts towards limits. */
export type Begun = 'transcription' | 'kept_transcription' | 'temporary_key' | 'live_session';

/** The limits that each kind of request counts towards. */
const COUNTED_LIMITS: Readonly<Record<Begun, readonly LimitName[]>> = {
  transcription: ['requests_per_minute', 'waiting_jobs'],
  kept_transcription: ['requests_per_minute'],
  temporary_key: ['requests_per_minute'],
  live_session: ['requests_per_minute', 'concurrent_streams'],
};

/** Values for the row of the request. */
interface Reserved {
  /** The request's reservation; zero without a wish. */
  reserved: Amount;
  /** The request's price, for `micros_per_hour`; null without a wish. */
  perHour: number | null;
}

export interface Admission extends Reserved {
  place: Place;
  /** When the request begins, by the database's clock: prices change by that clock. */
  now: Date;
}

const NO_RESERVATION: Reserved = { reserved: { ms: 0, micros: 0 }, perHour: null };

interface Parts {
  clock: () => Date;
  limitDefaults: LimitDefaults;
}

/**
 * Admits a request of a project, and counts it. Locks the organization's limits until the transaction ends, so that two
 * requests cannot take the last place, even in different processes: each count is a statement after the lock, and sees
 * all earlier commits. A refusal rolls the transaction back, so a refused request is not counted.
 * @param wish audio to reserve. The caller writes `reserved`, `perHour` and `now` into the request's row.
 * @returns undefined if the project was deleted meanwhile
 * @throws LimitReached, BalanceExhausted
 */
export async function admit(
  trx: Db,
  { clock, limitDefaults }: Parts,
  projectId: string,
  begun: Begun,
  wish?: FirstWish,
): Promise<Admission | undefined> {
  const place = await lockPlace(trx, projectId);
  if (place === undefined) return undefined;
  const now = await databaseNow(trx, clock);
  const reservation = wish ? await reserve(trx, place, wish, { now, limitDefaults }) : NO_RESERVATION;
  await checkCounts(trx, place, COUNTED_LIMITS[begun], limitDefaults, now);
  await trx
    .with('forgotten', (query) =>
      query
        .deleteFrom('begun_requests')
        .where('organization_id', '=', place.organizationId)
        .where('at', '<=', minuteOf(now).since),
    )
    .insertInto('begun_requests')
    .values({ organization_id: place.organizationId, project_id: projectId, at: now })
    .execute();
  return { place, now, ...reservation };
}

/** @throws LimitReached, BalanceExhausted */
async function reserve(
  trx: Db,
  place: Place,
  wish: FirstWish,
  { now, limitDefaults }: { now: Date; limitDefaults: LimitDefaults },
): Promise<Reserved> {
  const prices = await pricesToPromise(trx, now);
  const reserved = await findReservation(trx, place, { ...wish, prices }, { id: null, now, limitDefaults });
  return { reserved, perHour: toPromise(prices, wish) };
}

/** Locks a project and the limits of its organization until the transaction ends. @returns undefined if it is gone */
export async function lockPlace(trx: Db, projectId: string): Promise<(Place & { projectId: string }) | undefined> {
  const project = await lockProjectRow(trx, projectId, 'keep');
  if (project === undefined) return undefined;
  await lockLimits(trx, project.organizationId);
  return { ...project, projectId };
}

/** Locks the limits of an organization until the transaction ends. Lock the project first. */
export async function lockLimits(trx: Db, organizationId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${organizationId}, 1))`.execute(trx);
}

/** The project with its organization; undefined if it is gone. */
export async function placeOf(db: Db, projectId: string): Promise<(Place & { projectId: string }) | undefined> {
  const row = await db.selectFrom('projects').select('organization_id').where('id', '=', projectId).executeTakeFirst();
  return row && { organizationId: row.organization_id, projectId };
}

/** @throws LimitReached */
async function checkCounts(
  db: Db,
  place: Place,
  names: readonly LimitName[],
  defaults: LimitDefaults,
  now: Date,
): Promise<void> {
  const bounds = await readBounds(db, place, defaults);
  for (const name of names) {
    const [organization, project] = [bounds.organization[name].value, bounds.project[name].value];
    // No bound for the project means that the organization has none either.
    if (project === null) continue;
    const used = await readUse(db, place, name, now);
    const scope = reachedScope(used, { organization, project });
    if (scope === undefined) continue;
    const value = (scope === 'organization' ? organization : project) ?? 0;
    const waitMs =
      name === 'requests_per_minute' ? await waitForRequest(db, place, scope, used[scope] - value, now) : null;
    throw new LimitReached(name, scope, value, waitMs);
  }
}

/** The scope whose limit is reached; the organization if both are. */
export function reachedScope(
  used: Use,
  values: { organization: number | null; project: number | null },
): Scope | undefined {
  if (values.organization !== null && used.organization >= values.organization) return 'organization';
  return values.project !== null && used.project >= values.project ? 'project' : undefined;
}

/** Time until the next request may begin, milliseconds. @param excess requests of the last minute minus the limit */
async function waitForRequest(
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
