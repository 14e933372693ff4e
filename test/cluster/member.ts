/** One process of the cluster: the built server, with a data directory and a clock of its own. */
import { mkdirSync } from 'node:fs';
import { SHORT_LIVED } from '../short-lived.ts';
import { freePort } from '../postgres/cluster.ts';
import { Program } from './program.ts';

interface MemberOptions {
  name: string;
  /** Its main file. */
  main: string;
  settings: Readonly<Record<string, string>>;
}

export class Member {
  readonly name: string;
  readonly port: number;
  readonly url: string;
  readonly #options: MemberOptions;
  readonly #before: string[] = [];
  #program: Program | undefined;

  private constructor(options: MemberOptions, port: number) {
    this.name = options.name;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#options = options;
  }

  /** One that does not run yet. It keeps its port, as the balancer knows it by that. */
  static async make(options: MemberOptions): Promise<Member> {
    return new Member(options, await freePort());
  }

  /** Everything that it printed, in all its runs. */
  get said(): string {
    return [...this.#before, this.#program?.said ?? ''].join('');
  }

  /** Resolves once it is ready, recognizer included. */
  async start(): Promise<void> {
    const { main, settings } = this.#options;
    if (this.#program !== undefined) this.#before.push(this.#program.said);
    mkdirSync(settings['DATA_DIR'] ?? '', { recursive: true });
    this.#program = new Program(process.execPath, [...SHORT_LIVED, main], {
      env: { PATH: process.env['PATH'] ?? '', PORT: String(this.port), ...settings },
    });
    await this.#program.does(`${this.name} is ready`, () =>
      fetch(`${this.url}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  /** SIGTERM: it ends in order. @throws when it did not */
  async drain(): Promise<void> {
    const code = await this.#program?.end('SIGTERM');
    if (code !== 0) throw new Error(`${this.name} ended with ${code}:\n${this.said.slice(-4000)}`);
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await this.#program?.end('SIGKILL');
  }
}
