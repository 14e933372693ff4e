import { timed, type Meters } from '../telemetry/meters.ts';
import { StorageError, type FileStorage } from './port.ts';

/** Failures of which a single one should alert the operator. */
const ALONE = [
  ['put', 'storage_full'],
  ['open', 'not_found'],
  ['check', 'not_found'],
  ['check', 'wrong_size'],
  ['checkout', 'not_found'],
] as const;

/** Wraps a storage, and measures its calls. */
export function meteredStorage(storage: FileStorage, meters: Meters): FileStorage {
  if (!meters.isOn) return storage;
  // Start at 0, so that a single failure shows as an increase.
  for (const [call, cause] of ALONE) meters.count('parlance_storage_failures_total', { call, cause }, 0);
  return timed(storage, (call, seconds, failure) => {
    meters.observe('parlance_storage_call_duration_seconds', { call }, seconds);
    if (failure === undefined) return;
    const cause = failure.error instanceof StorageError ? failure.error.code : 'other';
    meters.count('parlance_storage_failures_total', { call, cause });
  });
}
