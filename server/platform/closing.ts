import type { Log } from './log.ts';

/** Order of an orderly end: sockets are told first, the database goes last. */
const CLOSE_PHASES = ['sockets', 'http', 'jobs', 'engine', 'database'] as const;
export type ClosePhase = (typeof CLOSE_PHASES)[number];

/** What has to be closed, and when. Every area adds its own. */
export class Closing {
  readonly #steps: { phase: ClosePhase; name: string; close: () => Promise<void> | void }[] = [];
  readonly #log: Log;
  #running: Promise<void> | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  add(phase: ClosePhase, name: string, close: () => Promise<void> | void): void {
    this.#steps.push({ phase, name, close });
  }

  /** True once the end has begun. */
  get begun(): boolean {
    return this.#running !== undefined;
  }

  /** Runs phase after phase; the steps of one phase together. A step that fails is logged and does not stop the rest. Repeated calls share one run. */
  run(): Promise<void> {
    this.#running ??= this.#run();
    return this.#running;
  }

  async #run(): Promise<void> {
    for (const phase of CLOSE_PHASES) {
      await Promise.all(
        this.#steps
          .filter((step) => step.phase === phase)
          .map(async ({ name, close }) => {
            try {
              await close();
            } catch (error) {
              this.#log.error({ err: error, step: name }, 'closing failed');
            }
          }),
      );
    }
  }
}
