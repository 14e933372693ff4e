import { WorkerPool } from './pool.ts';
import type { PoolOptions } from './pool.ts';

export type { PoolOptions } from './pool.ts';

/**
 * The recognizer that comes with the server: Moonshine Tiny in processes of its own, English only. The first starts at once and loads
 * in the background, the others when there is work; `ready()` tells when the first can work. `PARLANCE_RUNTIME` (native | wasm) forces a
 * runtime.
 */
export function createEmbeddedEngine(options: PoolOptions = {}): WorkerPool {
  return new WorkerPool(options);
}
