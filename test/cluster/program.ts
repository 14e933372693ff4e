/** A program that runs beside the tests, and ends with them. */
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

/** How long anything may take on a busy machine. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 50;

/** Looks until something can be seen. @param what for whoever reads that it never was @throws when it takes too long */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`In vain waited for: ${what}`);
    await wait(LOOK_MS);
  }
}

export class Program {
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;
  #said = '';

  constructor(command: string, args: readonly string[], options: SpawnOptions = {}) {
    // An interrupt of the tests reaches it by `end` only, as it has a process group of its own.
    this.#child = spawn(command, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on('data', (chunk) => {
        this.#said += String(chunk);
      });
    const kill = (): void => void this.#child.kill('SIGKILL');
    process.once('exit', kill);
    this.#exit = once(this.#child, 'exit').finally(() => process.off('exit', kill));
  }

  /** All that it printed. */
  get said(): string {
    return this.#said;
  }

  get runs(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Waits until it does what it was started for. @throws with what it printed when it ends first */
  async does(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    try {
      await until(what, async () => {
        if (!this.runs) throw new Error(`The program ended before it did this: ${what}`);
        return isSo();
      });
    } catch (cause) {
      throw new Error(`A program does not do what it was started for:\n${this.#said.slice(-4000)}`, { cause });
    }
  }

  /** Sends a signal and waits for the end. @returns the exit code; null for one that was killed */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    if (this.runs) this.#child.kill(signal);
    await this.#exit;
    return this.#child.exitCode;
  }
}
