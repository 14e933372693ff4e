/** A PostgreSQL of the tests' own, on a free port of this machine; made for a run and gone with it. */
import { spawn, spawnSync } from 'node:child_process';
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
  stop(): Promise<void>;
}

/** PostgreSQL refuses root; Debian's package makes a user, and there is always a `nobody`. */
function owner(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
  const found = users.find(([name]) => name === 'postgres') ?? users.find(([name]) => name === 'nobody');
  if (found === undefined) throw new Error('PostgreSQL refuses root, and there is neither a user postgres nor nobody.');
  return { uid: Number(found[2]), gid: Number(found[3]) };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}

/** @throws when there is no PostgreSQL, or it cannot start. */
export async function startCluster(): Promise<Cluster> {
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
  // With a process group of its own an interrupt of the tests reaches it by `stop` only, which ends it in order.
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...options], {
    ...user,
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  server.stderr.on('data', (chunk) => {
    said += String(chunk);
  });
  let ended = false;
  const end = once(server, 'exit').then(() => {
    ended = true;
  });
  // Immediate shutdown: what it holds goes with the folder.
  const kill = (): void => {
    if (!ended) server.kill('SIGQUIT');
  };
  process.once('exit', kill);

  const urlOf = (database: string): string => `postgres://parlance:${password}@127.0.0.1:${port}/${database}`;
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    kill();
    await end;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const patience = Date.now() + START_MS;
    while (!(await answers(urlOf('postgres')))) {
      if (ended || Date.now() > patience) throw new Error(`PostgreSQL does not start: ${said}`);
      await new Promise((resolve) => {
        setTimeout(resolve, 50);
      });
    }
    await query(urlOf('postgres'), `create database ${TEMPLATE}`);
    await (await openDatabase({ databaseUrl: urlOf(TEMPLATE) })).close();
    return { urlOf, folder, stop };
  } catch (error) {
    await stop();
    throw error;
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
