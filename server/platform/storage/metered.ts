import { timed, type Meters } from '../telemetry/meters.ts';
import { StorageError, type FileStorage } from './port.ts';

/** The same storage, with its calls being measured. */
export function meteredStorage(storage: FileStorage, meters: Meters): FileStorage {
  if (!meters.isOn) return storage;
  return timed(storage, (call, seconds, failure) => {
    meters.observe('parlance_storage_call_duration_seconds', { call }, seconds);
    if (failure === undefined) return;
    const cause = failure.error instanceof StorageError ? failure.error.code : 'other';
    meters.count('parlance_storage_failures_total', { call, cause });
  });
}
