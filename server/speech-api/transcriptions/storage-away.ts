/** A storage that does not answer is waited for: it fails no transcription until it has been away for long. */
import { isStorageAway } from '../../platform/storage/port.ts';
import type { Failure } from './finish.ts';

/** Until it is asked again. */
export const STORAGE_WAIT_MS = 15_000;
/** From when it was first found away by the work that needs it. */
const PATIENCE_MS = 6 * 3_600_000;

export const UNREACHED: Failure = {
  type: 'service_unavailable',
  message: 'The storage of recordings could not be reached. Please try again later.',
};

/** For how long each job of this process has found the storage away: what waited in the queue before that does not count. */
export class StoragePatience {
  readonly #since = new Map<number, Date>();

  /** Whether a run that ended so is put off without counting as a try. */
  isWorthWaiting(jobId: number, error: unknown, now: Date): boolean {
    if (!isStorageAway(error)) {
      this.end(jobId);
      return false;
    }
    const since = this.#since.get(jobId) ?? now;
    this.#since.set(jobId, since);
    return now.getTime() - since.getTime() < PATIENCE_MS;
  }

  /** The storage was reached, or the job has ended. */
  end(jobId: number): void {
    this.#since.delete(jobId);
  }
}
