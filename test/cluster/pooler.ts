/** pgbouncer with the settings that operators are given (`ops/pgbouncer.ini`), at other addresses. */
import { chownSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fetched } from '../../scripts/fetched.mjs';
import { freePort, owner, query } from '../postgres/cluster.ts';
import { Program } from './program.ts';
import { withValues } from './values.ts';

export interface Pooler {
  /** Of the database, by the pooler. */
  url: string;
  stop(): Promise<void>;
}

/** @param databaseUrl past the pooler, with user and password */
export async function startPooler({ command, env }: Fetched, folder: string, databaseUrl: string): Promise<Pooler> {
  const [port, users, settings] = [await freePort(), join(folder, 'userlist.txt'), join(folder, 'pgbouncer.ini')];
  const to = new URL(databaseUrl);
  const name = to.pathname.slice(1);
  writeFileSync(users, `"${to.username}" "${to.password}"\n`);
  writeFileSync(
    settings,
    withValues(readFileSync('ops/pgbouncer.ini', 'utf8'), {
      'parlance = host=127.0.0.1 port=5432 dbname=parlance': `${name} = host=${to.hostname} port=${to.port} dbname=${name}`,
      'listen_port = 6432': `listen_port = ${port}`,
      '/etc/pgbouncer/userlist.txt': users,
    }),
  );
  // Like PostgreSQL it refuses root.
  const user = owner();
  if (user !== undefined) for (const file of [folder, users, settings]) chownSync(file, user.uid, user.gid);
  const program = new Program(command, [settings], { ...user, cwd: folder, env: { ...process.env, ...env } });
  const url = new URL(databaseUrl);
  url.port = String(port);
  await program.does('the pooler answers', () =>
    query(url.href, 'select 1').then(
      () => true,
      () => false,
    ),
  );
  return { url: url.href, stop: async () => void (await program.end('SIGKILL')) };
}
