import { within } from './in-time.ts';
import type { Log } from './log.ts';

/** Phases of draining: tell balancers to send nothing more, then let running work end. */
const DRAIN_PHASES = ['notice', 'drain'] as const;
/** Phases of closing, in order: sockets first, the database last. */
const CLOSE_PHASES = ['sockets', 'http', 'jobs', 'engine', 'database'] as const;
export type ClosePhase = (typeof DRAIN_PHASES | typeof CLOSE_PHASES)[number];

/** Longest time for closing after draining; steps that take longer are abandoned. */
const CLOSE_MS = 10_000;
/** The engine and the database get at least this long each, however long the others took. */
const LAST_MS = 2000;

/** @param leftMs the step is abandoned after this time */
export type Close = (leftMs: number) => Promise<void> | void;

interface Step {
  phase: ClosePhase;
  name: string;
  close: Close;
}

interface ClosingTimes {
  /** How long running work may take to end by itself. */
  drainMs?: number;
  closeMs?: number;
  lastMs?: number;
}

/** Closes the server step by step. Every area adds its own steps. */
export class Closing {
  readonly #steps: Step[] = [];
  readonly #log: Log;
  readonly #times: Required<ClosingTimes>;
  #running: Promise<void> | undefined;
  #isDraining = false;

  constructor(log: Log, times: ClosingTimes = {}) {
    this.#log = log;
    this.#times = { drainMs: 0, closeMs: CLOSE_MS, lastMs: LAST_MS, ...times };
  }

  add(phase: ClosePhase, name: string, close: Close): void {
    this.#steps.push({ phase, name, close });
  }

  /** Whether closing or draining has begun. */
  get begun(): boolean {
    return this.#running !== undefined;
  }

  /** Whether nothing long may begin any more, because balancers had time to send people elsewhere. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Runs one phase after the other, and the steps of a phase at once. Logs a step that fails or takes too long, and
   * goes on. Repeated calls share one run.
   * @param options.drain first lets running work end by itself, within the times of the settings
   */
  run({ drain = false }: { drain?: boolean } = {}): Promise<void> {
    this.#running ??= this.#run(drain);
    return this.#running;
  }

  async #run(drain: boolean): Promise<void> {
    const { drainMs, closeMs, lastMs } = this.#times;
    if (drain) await this.#close('notice', Infinity);
    this.#isDraining = true;
    const drained = performance.now() + (drain ? drainMs : 0);
    if (drain) await this.#close('drain', drainMs);
    const end = Math.max(performance.now() + closeMs, drained);
    for (const phase of CLOSE_PHASES) {
      const isLast = phase === 'engine' || phase === 'database';
      await this.#close(phase, Math.max(isLast ? lastMs : 0, end - performance.now()));
    }
  }

  async #close(phase: ClosePhase, leftMs: number): Promise<void> {
    await Promise.all(
      this.#steps
        .filter((step) => step.phase === phase)
        .map(async ({ name, close }) => {
          try {
            if (await within(leftMs, Promise.resolve(close(leftMs)))) return;
            // The later phases end work that the drain phase did not.
            this.#log[phase === 'drain' ? 'info' : 'error']({ step: name, phase }, 'closing does not wait any longer');
          } catch (error) {
            this.#log.error({ err: error, step: name }, 'closing failed');
          }
        }),
    );
  }
}
