import { timed, type Meters } from '../telemetry/meters.ts';
import { StorageError, type FileStorage } from './port.ts';

/** Failures of which one is enough to call the operator. */
const ALONE = [
  ['put', 'storage_full'],
  ['open', 'not_found'],
  ['check', 'not_found'],
  ['check', 'wrong_size'],
  ['checkout', 'not_found'],
] as const;

/** The same storage, with its calls being measured. */
export function meteredStorage(storage: FileStorage, meters: Meters): FileStorage {
  if (!meters.isOn) return storage;
  // From the first scrape on, so that one failure shows as an increase.
  for (const [call, cause] of ALONE) meters.count('parlance_storage_failures_total', { call, cause }, 0);
  return timed(storage, (call, seconds, failure) => {
    meters.observe('parlance_storage_call_duration_seconds', { call }, seconds);
    if (failure === undefined) return;
    const cause = failure.error instanceof StorageError ? failure.error.code : 'other';
    meters.count('parlance_storage_failures_total', { call, cause });
  });
}
