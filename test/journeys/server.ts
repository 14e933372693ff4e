/** A console of its own for a journey: the built server as a child process on a free port, with a data directory of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { SHORT_LIVED } from '../short-lived.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Names the data directory that is made once per run (see global-setup.ts) and copied for each server. */
export const TEMPLATE_VARIABLE = 'PARLANCE_JOURNEYS_TEMPLATE';
export const DEMO_EMAIL = 'demo@parlance.local';
export const DEMO_PASSWORD = 'correct horse battery staple';

/** The links to the outboxes of the servers that run here, by the servers' addresses. */
const outboxLinks = new Map<string, string>();

/** Where the servers that run here keep their data, by the servers' addresses. */
const directories = new Map<string, string>();

/** Does what `npm run admin` does, at a server that runs here. @throws Error with its words where it refuses */
export async function asOperator(url: string, ...args: string[]): Promise<void> {
  const answer = await new Promise<string>((resolve, reject) => {
    const socketPath = join(directories.get(url) ?? '', 'admin.sock');
    const outgoing = request({ socketPath, method: 'POST', path: '/' }, (incoming) => {
      text(incoming).then(resolve, reject);
    });
    outgoing.once('error', reject).end(JSON.stringify({ args }));
  });
  if (answer.startsWith('{"error"')) throw new Error(answer);
}

/** The link that the start of a server printed: it shows its outbox. */
export function outboxLink(url: string): string {
  const link = outboxLinks.get(url);
  if (link === undefined) throw new Error(`${url} printed no link to an outbox.`);
  return link;
}

/** The page of a server's outbox, as a browser gets it by that link. */
export async function readOutbox(url: string): Promise<string> {
  const opened = await fetch(outboxLink(url), { redirect: 'manual' });
  const [cookie = ''] = opened.headers.getSetCookie().map((line) => line.split(';')[0]);
  return (await fetch(`${url}${opened.headers.get('location') ?? ''}`, { headers: { cookie } })).text();
}

/** A port that was free a moment ago; a restarted server must come back on the same one. */
async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (!address || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export function templateDirectory(): string {
  const template = process.env[TEMPLATE_VARIABLE];
  if (!template) throw new Error(`${TEMPLATE_VARIABLE} is not set; the global set-up makes it.`);
  return template;
}

/** A fresh data directory like the template: with the demo account and its samples. */
export function copyTemplate(): string {
  const template = templateDirectory();
  const directory = mkdtempSync(join(tmpdir(), 'parlance-'));
  cpSync(template, directory, { recursive: true });
  return directory;
}

export class ConsoleServer {
  readonly url: string;
  /** Everything the server printed, for assertions on what must not be in it. */
  output = '';
  readonly #directory: string;
  readonly #port: number;
  readonly #settings: Record<string, string>;
  readonly #options: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(directory: string, port: number, settings: Record<string, string>, options: readonly string[]) {
    this.#directory = directory;
    this.#port = port;
    this.#settings = settings;
    this.#options = options;
    this.url = `http://127.0.0.1:${port}`;
    directories.set(this.url, directory);
  }

  /** Starts a server on a copy of the template, or in `directory` as it is. `options` are Node's. */
  static async launch({
    directory,
    settings = {},
    options = SHORT_LIVED,
  }: {
    directory?: string;
    settings?: Record<string, string>;
    options?: readonly string[];
  } = {}): Promise<ConsoleServer> {
    const server = new ConsoleServer(directory ?? copyTemplate(), await freePort(), settings, options);
    await server.start();
    return server;
  }

  /** Resolves once the server answers that it is ready, recognizer included. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [...this.#options, 'dist/server/main.js'], {
      cwd: root,
      // Language pairs that a machine happens to have would change its models.
      env: {
        ...process.env,
        PORT: String(this.#port),
        DATA_DIR: this.#directory,
        DEMO_PASSWORD,
        APERTIUM_DIR: 'none',
        ...this.#settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    const from = this.output.length;
    const collect = (chunk: Buffer) => {
      this.output += chunk.toString();
      const [, link] = /^ +Mails +(\S+)\n/m.exec(this.output.slice(from)) ?? [];
      if (link !== undefined) outboxLinks.set(this.url, link);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    const deadline = performance.now() + 60_000;
    // It answers a moment before it has greeted.
    while (!(await this.#isReady()) || !/ Console +http[^]*\n\n/.test(this.output.slice(from))) {
      if (child.exitCode !== null || performance.now() > deadline)
        throw new Error(`The server did not start:\n${this.output}`);
    }
  }

  async #isReady(): Promise<boolean> {
    const pause = new Promise((resolve) => setTimeout(resolve, 50));
    const answer = await fetch(`${this.url}/readyz`).catch(() => undefined);
    if (answer?.ok) return true;
    await pause;
    return false;
  }

  /** Of the process that runs; undefined when none does. */
  get pid(): number | undefined {
    const child = this.#child;
    return child?.exitCode === null && child.signalCode === null ? child.pid : undefined;
  }

  /** Sends a signal and waits for the end of the process. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await exited;
  }

  /** Stops the server and removes its data. */
  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
