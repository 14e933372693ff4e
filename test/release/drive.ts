/**
 * Uses an unpacked release as its first operator does, with an empty environment and another working directory, and prints what
 * it saw as JSON. A process of its own, because it runs where the release has no network but loopback (see smoke.ts).
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { StoredFile, UPLOAD_FIELD } from '#contract/files.ts';
import { Memberships } from '#contract/organizations.ts';
import { CSRF_COOKIE, CSRF_HEADER, TokenPair } from '#contract/session.ts';
import { Transcript, Transcription } from '#contract/transcriptions.ts';
import { DEMO_EMAIL, DEMO_PASSWORD } from '../journeys/server.ts';
import { type Seen, Task } from './smoke.ts';

/** Nothing here takes as long, however busy the machine is. */
const PATIENCE_MS = 120_000;
const POLL_MS = 100;
/** Of the kernel's clock of processes. */
const TICKS_PER_SECOND = 100;

const { folder, node, options, cwd, clips, settings } = v.parse(Task, JSON.parse(process.argv[2] ?? ''));
const env = { DEMO_PASSWORD, ...settings };

async function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not come.`);
    await pause(POLL_MS);
  }
}

/** One of the release's programs, to its end. @returns its code and all that it said */
async function run(program: string, ...args: string[]): Promise<string> {
  const child = spawn(node, [...options, join(folder, `${program}.js`), ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return `${String(code)} ${out}${err}`;
}

/** A server that runs. */
class Server {
  output = '';
  readonly child: ChildProcess;
  readonly #from = performance.now();

  constructor() {
    this.child = spawn(node, [...options, join(folder, 'server.js')], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk) => {
        this.output += String(chunk);
      });
  }

  /** Waits until it wants requests, its recognizer ready. @returns its address, and what that took */
  async ready(): Promise<{ url: string; seconds: number; processorSeconds: number }> {
    const url = await until('An address', async () => {
      if (this.child.exitCode !== null) throw new Error(`The server has ended:\n${this.output}`);
      return / Console +(http:\S+)\/\n[^]*\n\n/.exec(this.output)?.[1];
    });
    await until('Readiness', async () => ((await fetch(`${url}/readyz`)).ok ? true : undefined));
    return { url, seconds: (performance.now() - this.#from) / 1000, processorSeconds: this.#processorSeconds() };
  }

  #processorSeconds(): number {
    // Behind the name of the program: eleven fields, then its own time and the kernel's.
    const [user, system] = this.#read('stat')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11);
    return (Number(user) + Number(system)) / TICKS_PER_SECOND;
  }

  /** The most that it has held in memory. */
  peakMegabytes(): number {
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(this.#read('status'))?.[1]) / 1024;
  }

  #read(name: string): string {
    return readFileSync(`/proc/${this.child.pid}/${name}`, 'utf8');
  }

  async end(): Promise<number | string | null> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const [code, signal] = await ended;
    return code ?? signal;
  }
}

/** @returns how the demo account's first project is called with the API */
async function signIn(url: string): Promise<string> {
  const csrf = 'x'.repeat(43);
  const answer = await fetch(`${url}/api/v2/token/`, {
    method: 'POST',
    headers: { cookie: `${CSRF_COOKIE}=${csrf}`, [CSRF_HEADER]: csrf },
    body: JSON.stringify({ email: DEMO_EMAIL, password: DEMO_PASSWORD }),
  });
  const { access } = v.parse(TokenPair, await answer.json());
  const told = await fetch(`${url}/api/v2/user/organizations/`, { headers: { authorization: `Bearer ${access}` } });
  const projectId = v.parse(Memberships, await told.json()).organizations[0]?.projects[0]?.uuid;
  return `Bearer ${JSON.stringify({ type: 'jwt', project_id: projectId, token: access })}`;
}

async function transcribe(url: string, authorization: string, clip: string): Promise<string> {
  const call = async (
    path: string,
    init: { method?: string; headers?: Record<string, string>; body?: BodyInit } = {},
  ): Promise<unknown> => {
    const answer = await fetch(`${url}/v1${path}`, { ...init, headers: { authorization, ...init.headers } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const form = new FormData();
  form.append(UPLOAD_FIELD, new Blob([readFileSync(clip)]), basename(clip));
  const { id: file_id } = v.parse(StoredFile, await call('/files', { method: 'POST', body: form }));
  const { id } = v.parse(
    Transcription,
    await call('/transcriptions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'stt-async-v4', file_id }),
    }),
  );
  await until(`A transcript of ${clip}`, async () => {
    const { status, error_message } = v.parse(Transcription, await call(`/transcriptions/${id}`));
    if (status === 'error') throw new Error(`${clip}: ${error_message}`);
    return status === 'completed' ? true : undefined;
  });
  return v.parse(Transcript, await call(`/transcriptions/${id}/transcript`)).text;
}

/** The console's page, and the first script that it names. */
async function openConsole(url: string): Promise<number[]> {
  const page = await fetch(`${url}/`);
  const script = /<script[^>]* src="([^"]+)"/.exec(await page.text())?.[1] ?? '/none.js';
  return [page.status, (await fetch(url + script)).status];
}

const server = new Server();
try {
  const { url, ...start } = await server.ready();
  const authorization = await signIn(url);
  const texts: Record<string, string> = {};
  for (const clip of clips) texts[basename(clip)] = await transcribe(url, authorization, clip);
  const seen: Seen = {
    interfaces: Object.keys(networkInterfaces()),
    ...start,
    recognizer: /Recognizer ready after \S+ s \((\w+),/.exec(server.output)?.[1] ?? server.output,
    console: await openConsole(url),
    texts,
    admin: await run('admin', 'jobs', 'list'),
    peakMegabytes: server.peakMegabytes(),
    exit: String(await server.end()),
    migrate: await run('migrate', '--check'),
  };
  process.stdout.write(JSON.stringify(seen));
} catch (error) {
  server.child.kill('SIGKILL');
  throw new Error(`${error instanceof Error ? error.message : String(error)}\n${server.output.slice(-4000)}`, {
    cause: error,
  });
}
