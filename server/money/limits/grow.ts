/** Changes the reservation of a request that has begun. */
import { sql } from 'kysely';
import type { Services } from '../../platform/context.ts';
import type { Db } from '../../platform/db/database.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import { databaseNow } from '../../platform/db/now.ts';
import { lockLimits, placeOf } from './admission.ts';
import type { LimitDefaults } from './defaults.ts';
import { tellingRefusals } from './refused.ts';
import { findReservation } from './reservations.ts';
import { promisedPrices } from '../usage/price-lists.ts';

/** Default wait for the lock of the organization's limits, milliseconds. */
const LOCK_MS = 2000;

type Parts = Pick<Services, 'db' | 'clock' | 'log'> & { limitDefaults: LimitDefaults };

/** The row that holds the reservation. */
export interface Reserving {
  table: 'transcriptions' | 'live_sessions';
  id: string;
}

/** The whole length to reserve, milliseconds: as much as there is room for, up to `mostMs`. Refused below `leastMs`. */
export interface Length {
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
export async function changeReservation(
  parts: Parts,
  of: Reserving,
  length: Length,
  lockMs = LOCK_MS,
): Promise<number | undefined> {
  const row = await findRow(parts.db, of);
  if (row === undefined) return undefined;
  return tellingRefusals(parts, row.project_id, () =>
    parts.db.transaction().execute(async (trx) => {
      // A waiting transaction occupies a connection.
      await sql`select set_config('lock_timeout', ${String(lockMs)}, true)`.execute(trx);
      return (await lockProjectRow(trx, row.project_id, 'keep'))
        ? change(trx, parts, of, { ...length, projectId: row.project_id })
        : undefined;
    }),
  );
}

async function change(
  trx: Db,
  { clock, limitDefaults }: Parts,
  { table, id }: Reserving,
  { leastMs, mostMs, projectId }: Length & { projectId: string },
): Promise<number | undefined> {
  const place = await placeOf(trx, projectId);
  if (place === undefined) return undefined;
  await lockLimits(trx, place.organizationId);
  const row = await findRow(trx, { table, id });
  if (row === undefined) return undefined;
  const kind = table === 'transcriptions' ? 'async' : 'real_time';
  const held = { ms: Number(row.reserved_ms), micros: Number(row.reserved_micros) };
  const prices = await promisedPrices(trx, row, row.began);
  const wish = { kind, model: row.model, prices, leastMs, mostMs, held } as const;
  const now = await databaseNow(trx, clock);
  const found = await findReservation(trx, place, wish, { id, now, limitDefaults });
  const values = {
    reserved_ms: Math.max(found.ms, held.ms),
    reserved_micros: Math.max(found.micros, held.micros),
  };
  await trx.updateTable(table).set(values).where('id', '=', id).execute();
  return values.reserved_ms;
}

/** The row of a request that has not ended. */
function findRow(trx: Db, { table, id }: Reserving) {
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
