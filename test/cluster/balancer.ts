/** HAProxy with the settings that operators are given (`ops/haproxy.cfg`), at other addresses. */
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Fetched } from '../../scripts/fetched.mjs';
import { freePort } from '../postgres/cluster.ts';
import { Program, until } from './program.ts';
import { withValues } from './values.ts';

export interface Balancer {
  url: string;
  /** How it finds a process, as it names it: `UP`, `DOWN`, or on its way to either. */
  statusOf(server: string): Promise<string>;
  /** Waits until it finds a process so. */
  finds(server: string, status: 'UP' | 'DOWN'): Promise<void>;
  stop(): Promise<void>;
}

/** @param servers ports of the two processes that it leads to */
export async function startBalancer(
  { command, env }: Fetched,
  folder: string,
  servers: Readonly<Record<'api-1' | 'api-2', number>>,
): Promise<Balancer> {
  const [socket, file, asked] = [join(folder, 'haproxy.sock'), join(folder, 'haproxy.cfg'), join(folder, 'asked.cfg')];
  const port = await freePort();
  writeFileSync(
    file,
    withValues(readFileSync('ops/haproxy.cfg', 'utf8'), {
      // Two files are open for each, more than a user may have.
      'maxconn 20000': 'maxconn 2000',
      'bind :8080': `bind 127.0.0.1:${port}`,
      'api-1:8080': `127.0.0.1:${servers['api-1']}`,
      'api-2:8080': `127.0.0.1:${servers['api-2']}`,
    }),
  );
  // Its own, to be asked how it finds the processes.
  writeFileSync(asked, `global\n  stats socket ${socket} mode 600 level admin\n`);
  const program = new Program(command, ['-db', '-f', file, '-f', asked], { env: { ...process.env, ...env } });
  /** Rows of its statistics: proxy, server, …, status is the 18th. */
  const statusOf = async (server: string): Promise<string> => {
    const answer = connect(socket);
    answer.write('show stat\n');
    const rows = (await text(answer)).split('\n').map((line) => line.split(','));
    return rows.find(([proxy, name]) => proxy === 'api' && name === server)?.[17] ?? 'unknown';
  };
  const finds = (server: string, status: 'UP' | 'DOWN'): Promise<void> =>
    until(`the balancer finds ${server} ${status}`, async () => (await statusOf(server)) === status);
  await program.does('the balancer answers', () =>
    statusOf('api-1').then(
      (status) => status !== 'unknown',
      () => false,
    ),
  );
  return { url: `http://127.0.0.1:${port}`, statusOf, finds, stop: async () => void (await program.end('SIGKILL')) };
}
