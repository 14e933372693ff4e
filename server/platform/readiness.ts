import { inTime } from './in-time.ts';
import type { Log } from './log.ts';

/** Longest wait for a check, milliseconds; balancers ask every few seconds. */
const PATIENCE_MS = 2000;
/**
 * How long a result is cached, milliseconds; balancers may ask several times a second, and storages charge for each
 * call.
 */
const KEPT_MS = 1000;

interface Part {
  /** Name for operators. */
  name: string;
  /** The sentence to report if `check` rejects or takes too long. */
  lack: string;
  check: () => Promise<unknown>;
  /** Result of the last check; undefined until the first success. */
  isThere: boolean | undefined;
}

/** Checks whether the process can take requests. Every area adds its own checks. */
export class Readiness {
  readonly #parts: Part[] = [];
  readonly #log: Log;
  #lastCheck: { at: number; answer: Promise<string[]> } | undefined;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Adds a check. @param lack the sentence to report if `check` rejects or takes too long */
  add(name: string, lack: string, check: () => Promise<unknown>): void {
    this.#parts.push({ name, lack, check, isThere: undefined });
    this.#lastCheck = undefined;
  }

  /** @returns a sentence for each failed check, at most a second old; empty if all passed */
  lacking(): Promise<string[]> {
    const at = performance.now();
    if (this.#lastCheck === undefined || at - this.#lastCheck.at > KEPT_MS)
      this.#lastCheck = { at, answer: this.#checkAll() };
    return this.#lastCheck.answer;
  }

  /** @returns the name of each part, and whether its check passed; as old as `lacking` */
  async parts(): Promise<{ name: string; isThere: boolean }[]> {
    const lacks = await this.lacking();
    return this.#parts.map(({ name, lack }) => ({ name, isThere: !lacks.includes(lack) }));
  }

  async #checkAll(): Promise<string[]> {
    const answers = await Promise.all(this.#parts.map((part) => this.#ask(part)));
    return answers.flat();
  }

  /** Runs a check. Logs only changes: once when it begins to fail, and once when it passes again. */
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
