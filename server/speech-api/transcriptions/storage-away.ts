/** Jobs wait for a storage that does not answer. A transcription fails only after {@link PATIENCE_MS} without it. */
import { isStorageAway } from '../../platform/storage/port.ts';
import type { Failure } from './finish.ts';

/** Time between two tries. */
export const STORAGE_WAIT_MS = 15_000;
/** How long a job waits, counted from its first try that failed. */
const PATIENCE_MS = 6 * 3_600_000;

export const UNREACHED: Failure = {
  type: 'service_unavailable',
  message: 'The storage of recordings could not be reached. Please try again later.',
};

/** Remembers since when each job of this process has found the storage away. Time in the queue does not count. */
export class StoragePatience {
  readonly #since = new Map<number, Date>();

  /** Whether to postpone a run that ended with this error, without counting a try. */
  isWorthWaiting(jobId: number, error: unknown, now: Date): boolean {
    if (!isStorageAway(error)) {
      this.end(jobId);
      return false;
    }
    const since = this.#since.get(jobId) ?? now;
    this.#since.set(jobId, since);
    return now.getTime() - since.getTime() < PATIENCE_MS;
  }

  /** Forgets the job: it has reached the storage, or ended. */
  end(jobId: number): void {
    this.#since.delete(jobId);
  }
}
