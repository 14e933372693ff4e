import type { Clock } from '../../platform/clock.ts';

/** Named timers of one session. Arming a running timer restarts it. */
export class Timers<Name extends string> {
  readonly #clock: Clock;
  readonly #running = new Map<Name, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  arm(name: Name, ms: number, run: () => void): void {
    this.disarm(name);
    this.#running.set(
      name,
      this.#clock.after(ms, () => {
        this.#running.delete(name);
        run();
      }),
    );
  }

  disarm(name: Name): void {
    this.#running.get(name)?.();
    this.#running.delete(name);
  }

  running(name: Name): boolean {
    return this.#running.has(name);
  }

  clear(): void {
    for (const cancel of this.#running.values()) cancel();
    this.#running.clear();
  }
}
