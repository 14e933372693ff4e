/** Bytes of files: counted when a file is written down, and reserved for uploads under way. */
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

/** How long a process may be silent before what it has reserved counts no more. */
const LEASE_MS = 30_000;
const RENEWAL_MS = 10_000;

export interface ByteParts {
  db: Db;
  clock: () => Date;
  limitDefaults: LimitDefaults;
}

/** What a form may have beside its file: names, fields and boundaries. An upload reserves it, too, and gives it back when it ends. */
export const FORM_MAX_BYTES = 128 * 1024;
/** How long an upload waits for others of its organization to end, where it depends on them whether there is room. */
const WAIT_MS = 10_000;
const PAUSE_MS = 25;
/** Of each project the upload that asks the database whether there is room by now; the others of this process wait for it. */
const asking = new Map<string, Reservation>();

/** What there is room for. */
interface Room {
  /** By the clock of the database. */
  now: Date;
  /** Bytes; infinite without a limit. */
  free: number;
  /** With what other uploads may give back when they end. */
  later: number;
  /** Tells which limit leaves no more. */
  refuse: (by: 'free' | 'later') => LimitReached;
}

/**
 * How many bytes more may be stored, in the transaction that writes down whose they are; of one organization one at a time.
 * @param except the reservation that these bytes take the place of
 * @returns undefined when the project was deleted meanwhile
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
 * Checks that a file may be written down, part of the transaction that does. What was reserved for it is free.
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

/** What one upload has reserved. Its lease is renewed until it is released; should the process die, it runs out. */
export class Reservation {
  readonly id: string;
  readonly #parts: ByteParts;
  readonly #projectId: string;
  readonly #failed: (error: unknown) => void;
  #held: number | undefined;
  #renewal: NodeJS.Timeout | undefined;

  /** @param id of the file @param failed told that the database did not take a renewal or the release */
  constructor(parts: ByteParts, projectId: string, id: string, failed: (error: unknown) => void) {
    this.id = id;
    this.#parts = parts;
    this.#projectId = projectId;
    this.#failed = failed;
  }

  /**
   * Reserves bytes: so many altogether that nothing may be refused any more, or what there is, if that may be enough. Where others may
   * give back what decides it, an upload that begins waits for them: if each took a part, none would come to its end.
   * @param atLeast what is needed for certain @param atMost what may be needed @throws LimitReached
   */
  async hold(atLeast: number, atMost = atLeast): Promise<void> {
    if (this.#held !== undefined && atLeast <= this.#held) return;
    if (!(await this.#take(atLeast, atMost, atMost > atLeast))) await this.#wait(atLeast, atMost);
    this.#renewal ??= setInterval(() => void this.renew().catch(this.#failed), RENEWAL_MS).unref();
  }

  /** Asks again and again, at last for what there is. @throws LimitReached */
  async #wait(atLeast: number, atMost: number): Promise<void> {
    const until = performance.now() + WAIT_MS;
    const isOver = (): boolean => performance.now() >= until;
    try {
      for (;;) {
        await setTimeout(PAUSE_MS);
        if (!asking.has(this.#projectId)) asking.set(this.#projectId, this);
        // One that has begun may be what the others wait for.
        const isAsking = this.#held !== undefined || asking.get(this.#projectId) === this;
        if ((isAsking || isOver()) && (await this.#take(atLeast, atMost, !isOver()))) return;
      }
    } finally {
      if (asking.get(this.#projectId) === this) asking.delete(this.#projectId);
    }
  }

  /** False where it is worth to wait. @throws LimitReached */
  async #take(atLeast: number, atMost: number, mayWait: boolean): Promise<boolean> {
    const isBegun = this.#held !== undefined;
    const fits = (free: number): boolean => atLeast <= free && (isBegun || free > 0);
    const held = await this.#parts.db.transaction().execute(async (trx) => {
      const room = await findRoom(trx, this.#parts, this.#projectId, this.id);
      // Of a project that is gone, the file's row will not be written.
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

  /** The heartbeat. */
  async renew(): Promise<void> {
    const { db, clock } = this.#parts;
    const lease_until = leaseFrom(await databaseNow(db, clock));
    await db.updateTable('upload_reservations').set({ lease_until }).where('id', '=', this.id).execute();
  }

  /** Gives back what is still reserved. Where the database does not take that, the lease runs out. */
  async release(): Promise<void> {
    clearInterval(this.#renewal);
    if (this.#held !== undefined)
      await this.#parts.db.deleteFrom('upload_reservations').where('id', '=', this.id).execute().catch(this.#failed);
  }
}

const leaseFrom = (now: Date): Date => new Date(now.getTime() + LEASE_MS);
