/** Raises the reservation of a request that has begun. */
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { lockPlace } from './admission.ts';
import type { Place } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { followingUpRefusals } from './refused.ts';
import { findReservation } from './reservations.ts';
import { promisedPrices } from '../usage/price-lists.ts';

/** Default wait for the lock of the organization's limits, milliseconds. */
const LOCK_MS = 2000;

type Parts = Pick<Services, 'db' | 'clock' | 'log'> & { limitDefaults: LimitDefaults };

/** The row that holds the reservation. */
export interface ReservationRow {
  table: 'transcriptions' | 'live_sessions';
  id: string;
}

/**
 * Bounds of the total length to reserve, milliseconds. Reserves as much as fits, up to `mostMs`; refuses if `leastMs`
 * does not fit.
 */
export interface LengthBounds {
  leastMs: number;
  mostMs: number;
}

/**
 * Raises the reservation of a running request. Never lowers it, so that a late call, or one of a worker that has lost
 * its job, takes back nothing. Holds the lock of the organization's limits.
 * @param lockMs longest wait for that lock, milliseconds
 * @returns the new reservation, milliseconds; undefined if the request has ended or its project is gone
 * @throws LimitReached, BalanceExhausted if there is no room for `leastMs`; the reservation then stays as it is
 */
export async function raiseReservation(
  parts: Parts,
  row: ReservationRow,
  bounds: LengthBounds,
  lockMs = LOCK_MS,
): Promise<number | undefined> {
  const request = await findRequest(parts.db, row);
  if (request === undefined) return undefined;
  return followingUpRefusals(parts, request.project_id, () =>
    parts.db.transaction().execute(async (trx) => {
      // A waiting transaction occupies a connection.
      await sql`select set_config('lock_timeout', ${String(lockMs)}, true)`.execute(trx);
      const place = await lockPlace(trx, request.project_id);
      return place && raise(trx, parts, row, { ...bounds, place });
    }),
  );
}

async function raise(
  trx: Db,
  { clock, limitDefaults }: Parts,
  { table, id }: ReservationRow,
  { leastMs, mostMs, place }: LengthBounds & { place: Place },
): Promise<number | undefined> {
  const request = await findRequest(trx, { table, id });
  if (request === undefined) return undefined;
  const kind = table === 'transcriptions' ? 'async' : 'real_time';
  const held = { ms: Number(request.reserved_ms), micros: Number(request.reserved_micros) };
  const prices = await promisedPrices(trx, request, request.began);
  const wish = { kind, model: request.model, prices, leastMs, mostMs, held } as const;
  const now = await databaseNow(trx, clock);
  const found = await findReservation(trx, place, wish, { id, now, limitDefaults });
  const values = {
    reserved_ms: Math.max(found.ms, held.ms),
    reserved_micros: Math.max(found.micros, held.micros),
  };
  await trx.updateTable(table).set(values).where('id', '=', id).execute();
  return values.reserved_ms;
}

/** A request, if it has not ended. */
function findRequest(trx: Db, { table, id }: ReservationRow) {
  const columns = ['project_id', 'model', 'reserved_ms', 'reserved_micros', 'micros_per_hour'] as const;
  return table === 'transcriptions'
    ? trx
        .selectFrom(table)
        .select([...columns, 'created_at as began'])
        .where('id', '=', id)
        .where('status', 'in', ['queued', 'processing'])
        .executeTakeFirst()
    : trx
        .selectFrom(table)
        .select([...columns, 'started_at as began'])
        .where('id', '=', id)
        .where('status', '=', 'running')
        .executeTakeFirst();
}
