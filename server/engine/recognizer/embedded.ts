import { WorkerPool } from './pool.ts';
import type { PoolOptions } from './pool.ts';

export type { PoolOptions } from './pool.ts';

/**
 * The recognizer that comes with the server: Moonshine Tiny (English) in processes of its own. The first process starts
 * at once, the others when there is work; `ready()` resolves when the first is ready. `PARLANCE_RUNTIME` (native |
 * wasm) forces a runtime.
 */
export function createEmbeddedEngine(options: PoolOptions = {}): WorkerPool {
  return new WorkerPool(options);
}
