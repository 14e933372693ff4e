import { WorkerPool } from './pool.ts';
import type { PoolOptions } from './pool.ts';

export type { PoolOptions } from './pool.ts';

/**
 * The recognizer that comes with the server: Moonshine Tiny in worker threads, English only. Its workers start at once and load in the
 * background; `ready()` tells when the first can work. `PARLANCE_RUNTIME` (native | wasm) forces a runtime.
 */
export function createEmbeddedEngine(options: PoolOptions = {}): WorkerPool {
  return new WorkerPool(options);
}
