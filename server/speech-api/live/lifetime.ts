import type { Clock } from '../../platform/clock.ts';
import { FIRST, LIFE, RUNS_WHILE, type LiveEvent, type LiveState, type LiveTimer, type Slowness } from './life.ts';

interface LifetimeParts {
  clock: Clock;
  /** The length of a timer that starts now, milliseconds; null if the session has no such timer. */
  lengthOf: (timer: LiveTimer) => number | null;
  /** A timer has run out. */
  expired: (timer: LiveTimer) => void;
  /** An event came that the table does not list for the state. Must end the session. */
  faulty(error: Error): void;
}

/** Executes the table of the life of one session: moves it from state to state, and runs its timers. */
export class Lifetime {
  readonly #parts: LifetimeParts;
  readonly #slowness: Slowness;
  readonly #running = new Map<LiveTimer, () => void>();
  #state = FIRST;

  constructor(parts: LifetimeParts, slowness: Slowness) {
    this.#parts = parts;
    this.#slowness = slowness;
    this.#startBound();
  }

  get state(): LiveState {
    return this.#state;
  }

  /** Moves by the table, and stops the timers that the new state does not have. @returns whether the state changed */
  move(event: LiveEvent): boolean {
    const target = LIFE[this.#state].on[event];
    if (target === undefined)
      this.#parts.faulty(new Error(`A live session in the state ${this.#state} cannot take the event ${event}.`));
    if (target === undefined || target === 'late') return false;
    this.#state = target;
    this.stopOthers();
    this.#startBound();
    return true;
  }

  /** Starts a timer, or starts it anew; does nothing if it may not run now. */
  start(timer: LiveTimer): void {
    const { clock, lengthOf, expired } = this.#parts;
    const ms = this.#mayRun(timer) ? lengthOf(timer) : null;
    if (ms === null) return;
    this.stop(timer);
    const cancel = clock.after(ms, () => {
      this.#running.delete(timer);
      expired(timer);
    });
    this.#running.set(timer, cancel);
  }

  /** Starts a timer unless it runs, or may not run now. @returns whether it was started */
  startOnce(timer: LiveTimer): boolean {
    if (this.#running.has(timer) || !this.#mayRun(timer)) return false;
    this.start(timer);
    return true;
  }

  stop(timer: LiveTimer): void {
    this.#running.get(timer)?.();
    this.#running.delete(timer);
  }

  /** Stops the timers that may not run, because the state or the slowness has changed. */
  stopOthers(): void {
    for (const timer of this.#running.keys()) if (!this.#mayRun(timer)) this.stop(timer);
  }

  /** Whether the table allows a timer in the present state and slowness. */
  #mayRun(timer: LiveTimer): boolean {
    const { bound, timers } = LIFE[this.#state];
    if (timer !== bound && !timers.includes(timer)) return false;
    return RUNS_WHILE[timer]?.(this.#slowness) ?? true;
  }

  #startBound(): void {
    const { bound } = LIFE[this.#state];
    if (bound !== null) this.startOnce(bound);
  }
}
