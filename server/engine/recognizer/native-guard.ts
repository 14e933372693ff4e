/// <reference lib="es2024.sharedmemory" />
const INSIDE = 0;
const STOPPED = 1;
/** The longest single call of native code is the encoding of 20 s of audio, well below a second. */
const EXIT_PATIENCE_MS = 3000;

const guards = new Set<NativeGuard>();

/**
 * Keeps a thread from being ended while it runs native code, which would abort the whole process. Shared between the thread, which says
 * when it goes in and out, and its owner, who stops it before ending it.
 */
export class NativeGuard {
  readonly buffer: SharedArrayBuffer;
  readonly #state: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.buffer = buffer;
    this.#state = new Int32Array(buffer);
  }

  /** In the thread: runs native code, or never returns once the thread is to end. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    Atomics.add(this.#state, INSIDE, 1);
    try {
      if (Atomics.load(this.#state, STOPPED) === 0) return await work();
    } finally {
      Atomics.sub(this.#state, INSIDE, 1);
      Atomics.notify(this.#state, INSIDE);
    }
    return new Promise(() => undefined);
  }

  /** In the owner: lets the call that is going on finish and no other begin. */
  async stop(): Promise<void> {
    Atomics.store(this.#state, STOPPED, 1);
    for (let inside = 1; inside > 0;) {
      inside = Atomics.load(this.#state, INSIDE);
      if (inside > 0 && (await Atomics.waitAsync(this.#state, INSIDE, inside, EXIT_PATIENCE_MS).value) === 'timed-out')
        return;
    }
  }

  /** The same when the process ends and cannot wait otherwise. */
  stopNow(): void {
    Atomics.store(this.#state, STOPPED, 1);
    const inside = Atomics.load(this.#state, INSIDE);
    if (inside > 0) Atomics.wait(this.#state, INSIDE, inside, EXIT_PATIENCE_MS);
  }
}

/** Watches over a thread until `release` is called: ending the process stops it first. */
export function guardThread(): { guard: NativeGuard; release(): void } {
  const guard = new NativeGuard();
  if (guards.size === 0) process.once('exit', stopAll);
  guards.add(guard);
  return {
    guard,
    release() {
      guards.delete(guard);
      if (guards.size === 0) process.removeListener('exit', stopAll);
    },
  };
}

function stopAll(): void {
  for (const guard of guards) guard.stopNow();
}
