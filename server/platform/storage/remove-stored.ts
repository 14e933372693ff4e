import type { Services } from '../context.ts';
import { enqueueAll } from '../jobs/queue.ts';
import type { JobHandler } from '../jobs/worker.ts';
import { isHeld } from './hold.ts';
import { isStorageAway } from './port.ts';

type Parts = Pick<Services, 'db' | 'storage' | 'clock'>;

/** The kind of job that removes the bytes of a deleted recording. Its subject is the stored id. */
export const REMOVE_STORED = 'remove-stored';

/** Wait before a retry if the storage does not answer, or a backup holds recordings. */
const WAIT_MS = 30_000;

export function removeStoredHandler({ db, storage, clock }: Parts): JobHandler {
  return {
    async run(job) {
      if (await isHeld(db)) return job.postpone(new Date(clock().getTime() + WAIT_MS));
      try {
        await storage.remove(job.subject);
      } catch (error) {
        if (!isStorageAway(error)) throw error;
        return job.postpone(new Date(clock().getTime() + WAIT_MS));
      }
      await job.complete(db);
    },
    waiting: () => Promise.resolve(),
    // The hourly sweep of bytes without a row tries again.
    givenUp: () => Promise.resolve(),
  };
}

/**
 * Removes the bytes of a deleted recording: at once, or by a job if the storage is away or a backup holds recordings.
 */
export async function removeStored({ db, storage, clock }: Parts, id: string): Promise<void> {
  const later = (): Promise<void> =>
    db.transaction().execute((trx) => enqueueAll(trx, { kind: REMOVE_STORED, subjects: [id], now: clock() }));
  if (await isHeld(db)) return later();
  try {
    await storage.remove(id);
  } catch (error) {
    if (!isStorageAway(error)) throw error;
    await later();
  }
}
