/** Bytes of files: counted when a file is written down, and reserved for uploads under way. */
import type { Transaction } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import { databaseNow } from '../../platform/db/now.ts';
import type { Schema } from '../../platform/db/schema.ts';
import { lockProjectRow } from '../../tenancy/projects/locks.ts';
import { LimitReached, lockLimits, placeOf } from './admission.ts';
import { readBounds } from './bounds.ts';
import type { LimitDefaults } from './defaults.ts';
import { readBytes } from './use.ts';

/** How long a process may be silent before what it has reserved counts no more. */
const LEASE_MS = 30_000;
const RENEWAL_MS = 10_000;

export interface ByteParts {
  db: Db;
  clock: () => Date;
  limitDefaults: LimitDefaults;
}

/**
 * Checks that so many bytes more may be stored, in the transaction that writes down whose they are; of one organization one at a time.
 * @param except the reservation that these bytes take the place of @param isBegun false: refused also where the limit is reached exactly
 * @returns now by the database's clock; undefined when the project was deleted meanwhile @throws LimitReached
 */
async function checkBytes(
  trx: Transaction<Schema>,
  { clock, limitDefaults }: Omit<ByteParts, 'db'>,
  { projectId, bytes, except, isBegun }: { projectId: string; bytes: number; except: string | null; isBegun: boolean },
): Promise<Date | undefined> {
  if (!(await lockProjectRow(trx, projectId, 'keep'))) return undefined;
  const place = await placeOf(trx, projectId);
  if (place === undefined) return undefined;
  await lockLimits(trx, place.organizationId);
  const now = await databaseNow(trx, clock);
  const bounds = await readBounds(trx, place, limitDefaults);
  const used = await readBytes(trx, place, now, except);
  for (const scope of ['organization', 'project'] as const) {
    const { value } = bounds[scope].stored_bytes;
    if (value !== null && (used[scope] + bytes > value || (!isBegun && used[scope] >= value)))
      throw new LimitReached('stored_bytes', scope, value);
  }
  return now;
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
  await checkBytes(trx, parts, { projectId, bytes, except: id, isBegun: true });
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

  /** Reserves at least so many bytes altogether. @throws LimitReached */
  async hold(bytes: number): Promise<void> {
    if (this.#held !== undefined && bytes <= this.#held) return;
    await this.#parts.db.transaction().execute(async (trx) => {
      const now = await checkBytes(trx, this.#parts, {
        projectId: this.#projectId,
        bytes,
        except: this.id,
        isBegun: this.#held !== undefined,
      });
      // Of a project that is gone, the file's row will not be written.
      if (now === undefined) return;
      await trx.deleteFrom('upload_reservations').where('lease_until', '<=', now).execute();
      const lease_until = leaseFrom(now);
      await trx
        .insertInto('upload_reservations')
        .values({ id: this.id, project_id: this.#projectId, bytes, lease_until })
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ bytes, lease_until }))
        .execute();
    });
    this.#held = bytes;
    this.#renewal ??= setInterval(() => void this.renew().catch(this.#failed), RENEWAL_MS).unref();
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
