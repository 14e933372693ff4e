/** Limits stored bytes: counts files when their rows are written, and reserves bytes for running uploads. */
import type { Transaction } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { lockPlace } from './admission.ts';
import { readBounds } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { LimitReached } from './errors.ts';
import { readBytes } from './use.ts';

/** Lease of a reservation, renewed by each heartbeat. An expired one does not count any more. */
const LEASE_MS = 30_000;
const RENEWAL_MS = 10_000;

export interface ByteParts {
  db: Db;
  clock: () => Date;
  limitDefaults: LimitDefaults;
}

/** The room that the limits leave. */
interface Room {
  /** The time by the database's clock. */
  now: Date;
  /** Bytes; infinite without a limit. */
  free: number;
  /** The error of the limit with the least room. */
  refusal: () => LimitReached;
}

/**
 * How many more bytes may be stored. Holds the lock of the organization's limits until the transaction ends.
 * @param except id of the reservation to leave out
 * @returns undefined if the project was deleted meanwhile
 */
async function findRoom(
  trx: Transaction<Schema>,
  { clock, limitDefaults }: Omit<ByteParts, 'db'>,
  projectId: string,
  except: string,
): Promise<Room | undefined> {
  const place = await lockPlace(trx, projectId);
  if (place === undefined) return undefined;
  const now = await databaseNow(trx, clock);
  const bounds = await readBounds(trx, place, limitDefaults);
  const used = await readBytes(trx, place, now, except);
  const least = (['organization', 'project'] as const)
    .map((scope) => ({ scope, value: bounds[scope].stored_bytes.value ?? Infinity }))
    .map((limit) => ({ ...limit, free: limit.value - used[limit.scope] }))
    .reduce((one, other) => (other.free < one.free ? other : one));
  return { now, free: least.free, refusal: () => new LimitReached('stored_bytes', least.scope, least.value) };
}

/**
 * Checks that a file's row may be written, and releases its reservation. Part of the transaction that writes the row.
 * @param id of the file, and of its reservation @throws LimitReached
 */
export async function takeBytes(
  trx: Transaction<Schema>,
  parts: Omit<ByteParts, 'db'>,
  { id, projectId, bytes }: { id: string; projectId: string; bytes: number },
): Promise<void> {
  const room = await findRoom(trx, parts, projectId, id);
  if (room !== undefined && bytes > room.free) throw room.refusal();
  await trx.deleteFrom('upload_reservations').where('id', '=', id).execute();
}

/** The reservation of one upload. Renews its lease until it is released; if the process dies, the lease expires. */
export class Reservation {
  readonly id: string;
  readonly #parts: ByteParts;
  readonly #projectId: string;
  readonly #failed: (error: unknown) => void;
  #held: number | undefined;
  #renewal: NodeJS.Timeout | undefined;

  /** @param id of the file @param failed called when a renewal or the release fails */
  constructor(parts: ByteParts, projectId: string, id: string, failed: (error: unknown) => void) {
    this.id = id;
    this.#parts = parts;
    this.#projectId = projectId;
    this.#failed = failed;
  }

  /**
   * Reserves up to `atMost` bytes in all, at least `atLeast`. A new upload needs room for one byte at least.
   * @param atLeast bytes that the upload has for certain @param atMost bytes that it may have @throws LimitReached
   */
  async hold(atLeast: number, atMost = atLeast): Promise<void> {
    if (this.#held !== undefined && atLeast <= this.#held) return;
    const needed = this.#held === undefined ? Math.max(1, atLeast) : atLeast;
    this.#held = await this.#parts.db.transaction().execute(async (trx) => {
      const room = await findRoom(trx, this.#parts, this.#projectId, this.id);
      // The project is gone, so the file's row will not be written.
      if (room === undefined) return atMost;
      if (needed > room.free) throw room.refusal();
      const bytes = Math.min(atMost, room.free);
      await trx.deleteFrom('upload_reservations').where('lease_until', '<=', room.now).execute();
      const lease_until = leaseFrom(room.now);
      await trx
        .insertInto('upload_reservations')
        .values({ id: this.id, project_id: this.#projectId, bytes, lease_until })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ bytes, lease_until }))
        .execute();
      return bytes;
    });
    this.#renewal ??= setInterval(() => void this.renew().catch(this.#failed), RENEWAL_MS).unref();
  }

  /** Renews the lease. */
  async renew(): Promise<void> {
    const { db, clock } = this.#parts;
    const lease_until = leaseFrom(await databaseNow(db, clock));
    await db.updateTable('upload_reservations').set({ lease_until }).where('id', '=', this.id).execute();
  }

  /** Releases the reservation. If that fails, its lease expires. */
  async release(): Promise<void> {
    clearInterval(this.#renewal);
    if (this.#held !== undefined)
      await this.#parts.db.deleteFrom('upload_reservations').where('id', '=', this.id).execute().catch(this.#failed);
  }
}

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
