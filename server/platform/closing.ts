import { within } from './in-time.ts';
import type { Log } from './log.ts';

/** Before an end that waits for what goes on: a balancer is told to send nothing more, then what runs may end. */
const DRAIN_PHASES = ['notice', 'drain'] as const;
/** Order of an orderly end: sockets are told first, the database goes last. */
const CLOSE_PHASES = ['sockets', 'http', 'jobs', 'engine', 'database'] as const;
export type ClosePhase = (typeof DRAIN_PHASES | typeof CLOSE_PHASES)[number];

/** What a server takes to close beside `DRAIN_NOTICE_SECONDS` and `DRAIN_SECONDS`: what is not done by then is left undone. */
const CLOSE_MS = 10_000;
/** The engine and the database have this long, each, whatever the others took. */
const LAST_MS = 2000;

/** @param leftMs how long the step may take; nobody waits for it any longer */
export type Close = (leftMs: number) => Promise<void> | void;

interface Step {
  phase: ClosePhase;
  name: string;
  close: Close;
}

interface ClosingTimes {
  /** What goes on may end by itself for so long. */
  drainMs?: number;
  closeMs?: number;
  lastMs?: number;
}

/** What has to be closed, and when. Every area adds its own. */
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

  /** True once the end has begun. */
  get begun(): boolean {
    return this.#running !== undefined;
  }

  /** True once nothing long is begun any more: balancers have been told, and lead people elsewhere. */
  get isDraining(): boolean {
    return this.#isDraining;
  }

  /**
   * Runs phase after phase; the steps of one phase together. A step that fails, or takes too long, is logged and does not stop the
   * rest. Repeated calls share one run.
   * @param options.drain what goes on may end by itself first, within the times of the settings
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
            // What does not end by itself is ended in the phases that follow.
            this.#log[phase === 'drain' ? 'info' : 'error']({ step: name, phase }, 'closing does not wait any longer');
          } catch (error) {
            this.#log.error({ err: error, step: name }, 'closing failed');
          }
        }),
    );
  }
}
