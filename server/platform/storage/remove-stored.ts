import type { Db } from '../db/database.ts';
import type { JobHandler } from '../jobs/worker.ts';
import type { FileStorage } from './port.ts';

/** The kind of job that removes the bytes of what was deleted with its project. Its subject is what they are stored under. */
export const REMOVE_STORED = 'remove-stored';

export function removeStoredHandler({ db, storage }: { db: Db; storage: FileStorage }): JobHandler {
  return {
    async run(job) {
      await storage.remove(job.subject);
      await job.complete(db);
    },
    waiting: () => Promise.resolve(),
    // The hourly look for bytes without a row tries on.
    givenUp: () => Promise.resolve(),
  };
}
