/** Reservations that change after a request has begun. */
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

/** How long it waits for others of its organization, where nothing else is said, milliseconds. */
const LOCK_MS = 2000;

type Parts = Pick<Services, 'db' | 'clock' | 'log'> & { limitDefaults: LimitDefaults };

/** Whose reservation it is. */
export interface Reserving {
  table: 'transcriptions' | 'live_sessions';
  id: string;
}

/** Sound altogether, milliseconds: without `leastMs` it is refused; `mostMs` is reserved where there is room, else what there is. */
export interface Length {
  leastMs: number;
  mostMs: number;
}

/**
 * Reserves another length for what has begun, no less than it has: whoever asks late, or has lost its work to another, takes nothing from
 * what was reserved since. Of one organization one at a time, like what begins.
 * @param lockMs how long it waits for others of its organization, milliseconds
 * @returns what is reserved from now on, milliseconds; undefined for what has ended, or whose project is gone
 * @throws LimitReached, BalanceExhausted where it needs more than it has and there is not so much; then it keeps what it has
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
      // What waits keeps a connection from everybody else.
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

/** Of one that has not ended. */
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
