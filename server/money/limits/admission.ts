/** Whether a request may begin: asked, and counted, in the transaction that begins it. */
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

export type Begun = 'transcription' | 'kept_transcription' | 'temporary_key' | 'live_session';

/** Limits whose places are taken one by one. */
const PLACES: Readonly<Record<Begun, readonly LimitName[]>> = {
  transcription: ['requests_per_minute', 'waiting_jobs'],
  kept_transcription: ['requests_per_minute'],
  temporary_key: ['requests_per_minute'],
  live_session: ['requests_per_minute', 'concurrent_streams'],
};

/** What the row of a request is to note. */
interface Promised {
  /** What it reserves; nothing where no sound was wished for. */
  reserved: Amount;
  /** Its price, as `micros_per_hour`. */
  perHour: number | null;
}

export interface Admission extends Promised {
  place: Place;
  /** By the database's clock, as prices change: when the request begins. */
  now: Date;
}

const NOTHING: Promised = { reserved: { ms: 0, micros: 0 }, perHour: null };

interface Parts {
  clock: () => Date;
  limitDefaults: LimitDefaults;
}

/**
 * Admits a request of a project, and counts it as begun. Of one organization one is admitted at a time, to the end of the transaction,
 * so that two cannot take the last place, whatever processes they come to: each count is a statement after the lock, and so sees what
 * those before it have committed. What is refused is counted nowhere, as the transaction is undone.
 * @param wish sound that it will hear; the transaction that asks for it writes down what is reserved, its price, and that it began at the
 * moment of this
 * @returns undefined when the project was deleted meanwhile
 * @throws LimitReached, BalanceExhausted
 */
export async function admit(
  trx: Db,
  { clock, limitDefaults }: Parts,
  projectId: string,
  begun: Begun,
  wish?: FirstWish,
): Promise<Admission | undefined> {
  if (!(await lockProjectRow(trx, projectId, 'keep'))) return undefined;
  const place = await placeOf(trx, projectId);
  if (place === undefined) return undefined;
  await lockLimits(trx, place.organizationId);
  const now = await databaseNow(trx, clock);
  const promised = wish ? await promise(trx, place, wish, { now, limitDefaults }) : NOTHING;
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
  return { place, now, ...promised };
}

/** @throws LimitReached, BalanceExhausted */
async function promise(
  trx: Db,
  place: Place,
  wish: FirstWish,
  { now, limitDefaults }: { now: Date; limitDefaults: LimitDefaults },
): Promise<Promised> {
  const prices = await pricesToPromise(trx, now);
  const reserved = await findReservation(trx, place, { ...wish, prices }, { id: null, now, limitDefaults });
  return { reserved, perHour: toPromise(prices, wish) };
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
