/** Limits stored bytes: counts files when their rows are written, and reserves bytes for running uploads. */
import { setTimeout } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import { lockLimits, placeOf } from './admission.ts';
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

/**
 * The largest number of bytes of a form beside its file: names, fields, boundaries. An upload reserves them, too, until
 * it ends.
 */
export const FORM_MAX_BYTES = 128 * 1024;
/** How long an upload waits for room that other uploads of its organization may give back when they end. */
const WAIT_MS = 10_000;
/** Time between two checks for room. */
const PAUSE_MS = 25;
/** By project, the one waiting upload of this process that checks for room; the others wait for their turn. */
const checking = new Map<string, Reservation>();

/** The room that the limits leave. */
interface Room {
  /** The time by the database's clock. */
  now: Date;
  /** Bytes; infinite without a limit. */
  free: number;
  /** `free` plus the bytes that other uploads may give back when they end. */
  later: number;
  /** The error of the limit with the least room. */
  refuse: (by: 'free' | 'later') => LimitReached;
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
  if (!(await lockProjectRow(trx, projectId, 'keep'))) return undefined;
  const place = await placeOf(trx, projectId);
  if (place === undefined) return undefined;
  await lockLimits(trx, place.organizationId);
  const now = await databaseNow(trx, clock);
  const bounds = await readBounds(trx, place, limitDefaults);
  const used = await readBytes(trx, place, now, except);
  const certain = await readBytes(trx, place, now, except, FORM_MAX_BYTES);
  const left = (['organization', 'project'] as const).map((scope) => {
    const value = bounds[scope].stored_bytes.value ?? Infinity;
    return { scope, value, free: value - used[scope], later: value - certain[scope] };
  });
  const least = (what: 'free' | 'later') => left.reduce((one, other) => (other[what] < one[what] ? other : one));
  return {
    now,
    free: least('free').free,
    later: least('later').later,
    refuse: (what) => new LimitReached('stored_bytes', least(what).scope, least(what).value),
  };
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
  if (room !== undefined && bytes > room.free) throw room.refuse('free');
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
   * Reserves up to `atMost` bytes in all, at least `atLeast`. If room depends on bytes that other uploads may give
   * back, a new upload waits for them instead of taking a part: otherwise several uploads could block each other.
   * @param atLeast bytes that the upload has for certain @param atMost bytes that it may have @throws LimitReached
   */
  async hold(atLeast: number, atMost = atLeast): Promise<void> {
    if (this.#held !== undefined && atLeast <= this.#held) return;
    if (!(await this.#take(atLeast, atMost, atMost > atLeast))) await this.#wait(atLeast, atMost);
    this.#renewal ??= setInterval(() => void this.renew().catch(this.#failed), RENEWAL_MS).unref();
  }

  /** Checks for room until there is enough, or the time is over; then takes what there is. @throws LimitReached */
  async #wait(atLeast: number, atMost: number): Promise<void> {
    const until = performance.now() + WAIT_MS;
    const isOver = (): boolean => performance.now() >= until;
    try {
      for (;;) {
        await setTimeout(PAUSE_MS);
        if (!checking.has(this.#projectId)) checking.set(this.#projectId, this);
        // An upload that has begun always checks: the others may wait for it to end.
        const isChecking = this.#held !== undefined || checking.get(this.#projectId) === this;
        if ((isChecking || isOver()) && (await this.#take(atLeast, atMost, !isOver()))) return;
      }
    } finally {
      if (checking.get(this.#projectId) === this) checking.delete(this.#projectId);
    }
  }

  /** Reserves bytes now. @returns false if waiting may bring more room @throws LimitReached */
  async #take(atLeast: number, atMost: number, mayWait: boolean): Promise<boolean> {
    const isBegun = this.#held !== undefined;
    const fits = (free: number): boolean => atLeast <= free && (isBegun || free > 0);
    const held = await this.#parts.db.transaction().execute(async (trx) => {
      const room = await findRoom(trx, this.#parts, this.#projectId, this.id);
      // The project is gone, so the file's row will not be written.
      if (room === undefined) return atMost;
      const bytes = Math.min(atMost, room.free);
      if (!fits(room.later)) throw room.refuse('later');
      const isEnough = isBegun ? fits(room.free) : atMost <= room.free;
      if (mayWait && !isEnough && room.later > room.free) return undefined;
      if (!fits(room.free)) throw room.refuse('free');
      await trx.deleteFrom('upload_reservations').where('lease_until', '<=', room.now).execute();
      const lease_until = leaseFrom(room.now);
      await trx
        .insertInto('upload_reservations')
        .values({ id: this.id, project_id: this.#projectId, bytes, lease_until })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ bytes, lease_until }))
        .execute();
      return bytes;
    });
    if (held !== undefined) this.#held = held;
    return held !== undefined;
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
