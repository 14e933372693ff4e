import { inTime } from './in-time.ts';
import type { Log } from './log.ts';

/** The longest that a part may take to answer, milliseconds: a balancer asks every few seconds. */
const PATIENCE_MS = 2000;
/** How long an answer counts, milliseconds: balancers ask several times a second, and a storage wants to be paid for each look. */
const KEPT_MS = 1000;

interface Part {
  /** For operators. */
  name: string;
  /** A sentence for when it rejects, or takes too long. */
  lack: string;
  check: () => Promise<unknown>;
  /** As it was last; undefined: not there yet, since the process began. */
  isThere: boolean | undefined;
}

/** What the process needs before anything is sent to it. Every area adds its own. */
export class Readiness {
  readonly #parts: Part[] = [];
  readonly #log: Log;
  #looked: { at: number; answer: Promise<string[]> } | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** @param lack a sentence for when `check` rejects, or takes too long */
  add(name: string, lack: string, check: () => Promise<unknown>): void {
    this.#parts.push({ name, lack, check, isThere: undefined });
    this.#looked = undefined;
  }

  /** @returns what is lacking, a sentence each, as it was no longer than a second ago; empty when all is there */
  lacking(): Promise<string[]> {
    const at = performance.now();
    if (this.#looked === undefined || at - this.#looked.at > KEPT_MS) this.#looked = { at, answer: this.#look() };
    return this.#looked.answer;
  }

  /** @returns the name of each part, and whether it is there; as old as `lacking` */
  async parts(): Promise<{ name: string; isThere: boolean }[]> {
    const lacks = await this.lacking();
    return this.#parts.map(({ name, lack }) => ({ name, isThere: !lacks.includes(lack) }));
  }

  async #look(): Promise<string[]> {
    const answers = await Promise.all(this.#parts.map((part) => this.#ask(part)));
    return answers.flat();
  }

  /** Logs once that a part is lacking, and once that it is there again, however often it is asked. */
  async #ask(part: Part): Promise<string[]> {
    const { lack, check, isThere } = part;
    try {
      await inTime(check(), PATIENCE_MS);
      if (isThere === false) this.#log.info({ lack }, 'ready again');
      part.isThere = true;
      return [];
    } catch (error) {
      if (isThere) this.#log.warn({ err: error, lack }, 'not ready');
      if (isThere !== undefined) part.isThere = false;
      return [lack];
    }
  }
}
