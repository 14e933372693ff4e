/** A PostgreSQL of the tests' own, on a free port of this machine; made for a run and gone with it. */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '#server/platform/db/open.ts';
import { findPostgres, WITHOUT_POSTGRES } from '../../scripts/postgres.mjs';

/** What nobody misses when the machine goes down, and room for two workers with some servers each. */
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  jit: 'off',
  shared_buffers: '64MB',
  max_connections: '200',
  log_min_messages: 'panic',
};
/** How long it may take to answer, on a busy machine. */
const START_MS = 60_000;

/** The cluster's database that is copied for the tests: migrated and empty. */
export const TEMPLATE = 'parlance_template';

/** In the environment of the tests' workers: the address of the cluster, to which the name of a database is added. */
export const CLUSTER_VARIABLE = 'TEST_POSTGRES';

export interface Cluster {
  /** Address of a database of the cluster, e.g. `postgres`, with its user's password. */
  urlOf(database: string): string;
  /** Its server, and all below this folder, belong to an unprivileged user when the tests run as root. */
  folder: string;
  /** Ends its connections, stops in order and starts again. */
  restart(): Promise<void>;
  /** All its processes stand still, with every connection open, until `thaw`. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/** PostgreSQL refuses root; Debian's package makes a user, and there is always a `nobody`. */
export function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (found === undefined) throw new Error('PostgreSQL refuses root, and there is neither a user postgres nor nobody.');
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}

/** @param options.hasTemplate whether it has {@link TEMPLATE} @throws when there is no PostgreSQL, or it cannot start. */
export async function startCluster({ hasTemplate = true }: { hasTemplate?: boolean } = {}): Promise<Cluster> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error(WITHOUT_POSTGRES);
  const user = owner();
  const folder = mkdtempSync(join(tmpdir(), 'parlance-postgres-'));
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
  const data = join(folder, 'data');
  const made = spawnSync(
    join(programs, 'initdb'),
    [
      '--pgdata',
      data,
      '--username',
      'parlance',
      '--pwfile',
      passwordFile,
      '--auth',
      'scram-sha-256',
      '--encoding',
      'UTF8',
      '--locale',
      'C',
      '--no-sync',
    ],
    { ...user, cwd: folder, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`PostgreSQL's initdb failed: ${made.stderr}`);

  const port = await freePort();
  const options = Object.entries({
    ...SETTINGS,
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = new Server(join(programs, 'postgres'), ['-D', data, ...options], { ...user, cwd: folder });
  const urlOf = (database: string): string => `postgres://parlance:${password}@127.0.0.1:${port}/${database}`;
  const start = (): Promise<void> => program.start(() => answers(urlOf('postgres')));
  const stop = async (): Promise<void> => {
    // Immediate shutdown: what it holds goes with the folder.
    await program.end('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await start();
    if (hasTemplate) {
      await query(urlOf('postgres'), `create database ${TEMPLATE}`);
      await (await openDatabase({ databaseUrl: urlOf(TEMPLATE) })).close();
    }
    return {
      urlOf,
      folder,
      async restart() {
        await program.end('SIGINT');
        await start();
      },
      freeze: () => program.signalAll('SIGSTOP'),
      thaw: () => program.signalAll('SIGCONT'),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The server's processes. */
class Server {
  readonly #command: string;
  readonly #args: string[];
  readonly #options: SpawnOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<unknown> = Promise.resolve();

  constructor(command: string, args: string[], options: SpawnOptions) {
    this.#command = command;
    this.#args = args;
    this.#options = options;
    // An interrupt of the tests reaches it by `end` only, as it has a process group of its own.
    process.once('exit', () => this.#child?.kill('SIGQUIT'));
  }

  async start(isThere: () => Promise<boolean>): Promise<void> {
    const child = spawn(this.#command, this.#args, {
      ...this.#options,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += String(chunk);
    });
    let ended = false;
    this.#ended = once(child, 'exit').then(() => {
      ended = true;
      this.#child = undefined;
    });
    const patience = Date.now() + START_MS;
    while (!(await isThere())) {
      if (ended || Date.now() > patience) throw new Error(`PostgreSQL does not start: ${said}`);
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#child?.kill(signal);
    // One that stands still hears nothing else.
    this.#child?.kill('SIGCONT');
    await this.#ended;
  }

  /** Its children have process groups of their own. */
  signalAll(signal: NodeJS.Signals): void {
    const pid = this.#child?.pid;
    if (pid === undefined) throw new Error('PostgreSQL does not run.');
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    for (const each of [pid, ...children]) process.kill(each, signal);
  }
}

const answers = (url: string): Promise<boolean> =>
  query(url, 'select 1').then(
    () => true,
    () => false,
  );

/** One statement on a connection of its own. */
export async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
