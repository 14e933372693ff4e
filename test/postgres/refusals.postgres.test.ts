/** What a person reads when the database does not let the server in. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { loadConfig } from '#server/platform/config.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { explain } from '#server/app/explain.ts';
import { createPostgres } from '../server/databases.ts';
import { CLUSTER_VARIABLE, query } from './cluster.ts';

/** The sentence on standard error. */
async function refusal(databaseUrl: string): Promise<string> {
  const config = loadConfig({ DATABASE_URL: databaseUrl, SECRET_KEY: 'k'.repeat(32) });
  return openDatabase({ databaseUrl }).then(
    async (database) => {
      await database.close();
      return 'It opened.';
    },
    (error: unknown) => explain(error, config, {}),
  );
}

/** A user of the cluster, who may do as `rights` say; the address is theirs. */
async function userWith(rights: (name: string) => string[], base: string): Promise<string> {
  const name = `user_${randomUUID().replaceAll('-', '')}`;
  for (const statement of [`create role ${name} login password 'x'`, ...rights(name)]) await query(base, statement);
  onTestFinished(async () => {
    await query(base, `drop owned by ${name}`);
    await query(base, `drop role ${name}`);
  });
  const url = new URL(base);
  url.username = name;
  url.password = 'x';
  return url.href;
}

/** Something that takes connections and is no PostgreSQL. */
async function impostor(answer: (socket: Socket) => void): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return `postgres://x:x@127.0.0.1:${typeof address === 'object' ? address?.port : 0}/x`;
}

describe('a start without the database', () => {
  it.each([
    [
      'wrong password',
      { password: 'wrong' },
      'The database refuses the user or password in DATABASE_URL. Correct them.',
    ],
    [
      'unknown user',
      { username: 'nobody' },
      'The database refuses the user or password in DATABASE_URL. Correct them.',
    ],
    [
      'unknown database',
      { pathname: '/nothing' },
      'The database that DATABASE_URL names does not exist. Create it, or correct the name.',
    ],
    [
      'nothing at the port',
      { port: '1' },
      'The database at DATABASE_URL does not answer. Start it, or correct host and port.',
    ],
  ])('DAT-11 %s', async (_what, change, sentence) => {
    const url = new URL(`${process.env[CLUSTER_VARIABLE]}postgres`);
    expect(await refusal(Object.assign(url, change).href)).toBe(sentence);
  });

  it('DAT-11 a user who may not log in, has no connection left, or may make no tables', async () => {
    const url = await createPostgres('template0');
    expect(await refusal(await userWith((name) => [`alter role ${name} nologin`], url))).toBe(
      'The database does not let this user in from here. Correct DATABASE_URL (for a connection with TLS, add ?sslmode=require), or allow it in pg_hba.conf.',
    );
    expect(await refusal(await userWith((name) => [`alter role ${name} connection limit 0`], url))).toBe(
      'The database has no connection left for this server. Raise its max_connections, or stop what uses them.',
    );
    await query(url, 'revoke create on schema public from public');
    expect(await refusal(await userWith(() => [], url))).toBe(
      'The user in DATABASE_URL may not make tables. Make it the owner of the database, or grant it the rights on the schema.',
    );
  });

  it('DAT-11 a copy that only reads', async () => {
    const url = await createPostgres('template0');
    await query(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
    expect(await refusal(url)).toBe('The database at DATABASE_URL is read-only. Name the primary server, not a copy.');
  });

  it('DAT-11 a PostgreSQL that is too old', async () => {
    const url = await createPostgres();
    await query(url, `create function public.current_setting(text) returns text language sql as $$ select '140005' $$`);
    await query(url, `alter database ${new URL(url).pathname.slice(1)} set search_path = public, pg_catalog`);
    expect(await refusal(url)).toBe('The database at DATABASE_URL is PostgreSQL 14. Use version 15 or newer.');
  });

  it('DAT-11 one without TLS where TLS is asked for', async () => {
    expect(await refusal(`${await createPostgres()}?sslmode=require`)).toBe(
      'The database does not support TLS. Turn it on there, or take sslmode out of DATABASE_URL.',
    );
  });

  it('DAT-11 a name that nobody knows, something else that hangs up', async () => {
    expect(await refusal('postgres://x:x@nowhere.invalid/x')).toMatch(
      /^The host name in DATABASE_URL (is not known\. Correct it\.|cannot be looked up just now\. Check the network, or correct it\.)$/,
    );
    expect(await refusal(await impostor((socket) => socket.destroy()))).toMatch(
      /^The (host of DATABASE_URL closes the connection\.|database at DATABASE_URL does not answer as a PostgreSQL does\.) Check /,
    );
  });

  it('DAT-11 something that stays silent for ten seconds', async () => {
    let take: (socket: Socket) => void = () => {};
    const taken = new Promise<Socket>((resolve) => (take = resolve));
    const url = await impostor((socket) => take(socket));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const told = refusal(url);
    const socket = await taken;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await told).toBe(
      'The database at DATABASE_URL does not answer as a PostgreSQL does. Check host and port, and that it takes connections from here.',
    );
    socket.destroy();
  });

  it('DAT-11 a certificate that nobody vouches for', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://x:x@localhost/x?sslmode=verify-full',
      SECRET_KEY: 'k'.repeat(32),
    });
    const untrusted = Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    expect(explain(untrusted, config, {})).toBe(
      'The certificate of the database is not trusted (self-signed certificate). Give its authority in NODE_EXTRA_CA_CERTS, or correct sslmode in DATABASE_URL.',
    );
  });
});
