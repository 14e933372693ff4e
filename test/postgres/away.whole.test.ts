/** The database does not answer, or not in time: what clients are told, and that all goes on once it is back. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as v from 'valibot';
import { ApiError } from '#contract/errors.ts';
import { isDatabaseAway } from '#server/platform/db/away.ts';
import type { Database } from '#server/platform/db/database.ts';
import { migrate } from '#server/platform/db/migrate.ts';
import { openDatabase } from '#server/platform/db/open.ts';
import { createPostgres } from '../server/databases.ts';
import { startTestServer, type TestServer, type TestUser } from '../server/harness.ts';
import { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts';
import { query } from './cluster.ts';

let proxy: TcpProxy;
let database: Database;
/** Past the proxy. */
let directUrl: string;
const open = async (options: Partial<Parameters<typeof openDatabase>[0]> = {}): Promise<void> => {
  const through = new URL(directUrl);
  through.port = String(proxy.port);
  database = await openDatabase({ databaseUrl: through.href, connections: 2, querySeconds: 1, ...options });
};
beforeEach(async () => {
  directUrl = await createPostgres();
  const { hostname, port } = new URL(directUrl);
  proxy = await startTcpProxy({ host: hostname, port: Number(port) });
});
afterEach(async () => {
  proxy.restore();
  await database.close();
  await proxy.close();
});

describe('a server whose database', () => {
  let server: TestServer;
  let user: TestUser;
  const ask = async (): Promise<{ status: number; type?: string; retryAfter: string | null }> => {
    const answer = await server.call(user, 'GET', '/api/v2/user/organizations/');
    const { status, headers } = answer;
    const retryAfter = headers.get('retry-after');
    return status === 200
      ? { status, retryAfter }
      : { status, retryAfter, type: v.parse(ApiError, await answer.json()).error_type };
  };
  const AWAY = { status: 503, type: 'service_unavailable', retryAfter: '5' };
  beforeEach(async () => {
    await open();
    server = await startTestServer({ env: { SECRET_KEY: 'k'.repeat(32) }, overrides: { database } });
    user = await server.createUser();
    expect((await ask()).status).toBe(200);
  });
  afterEach(() => server.close());

  it('OPS-30: is cut off refuses with 503 and says when to come back; the first request after that is answered', async () => {
    proxy.cut();
    expect(await ask()).toEqual(AWAY);
    proxy.restore();
    expect((await ask()).status).toBe(200);
  });

  it('OPS-30 OPS-31: falls silent refuses requests, waiting ones too, with 503 in bounded time, and works again afterwards', async () => {
    proxy.stall();
    const began = performance.now();
    expect(await Promise.all(Array.from({ length: 6 }, ask))).toEqual(Array.from({ length: 6 }, () => AWAY));
    expect(performance.now() - began).toBeLessThan(30_000);
    proxy.restore();
    expect((await ask()).status).toBe(200);
  });

  it('OPS-30: ends every connection, as one that restarts does, answers the next request', async () => {
    await query(
      directUrl,
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await vi.waitFor(async () => expect((await ask()).status).toBe(200));
  });
});

const sleeping = (db: Database['db'], seconds: number): Promise<unknown> =>
  sql`select pg_sleep(${seconds})`.execute(db);

it('OPS-31: a query that takes too long is ended, by the database itself, and its connection goes on', async () => {
  await open();
  const failure: unknown = await sleeping(database.db, 20).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: '57014' });
  expect(isDatabaseAway(failure)).toBe(true);
  await sleeping(database.patient, 1.5);
});

it('OPS-31: an answer that comes too late reaches nobody else, and a transaction that it cut leaves nothing', async () => {
  await open();
  const cut = database.db.transaction().execute(async (trx) => {
    await trx.insertInto('rate_limits').values({ key: 'cut', arrival_ms: 1 }).execute();
    proxy.stall();
    await sql`select 'late' as word`.execute(trx);
  });
  await expect(cut).rejects.toThrow('Query read timeout');
  proxy.restore();
  const answers = await Promise.all(
    Array.from({ length: 10 }, async (_, index) => {
      const { rows } = await sql<{ word: string }>`select ${`word ${index}`}::text as word`.execute(database.db);
      return rows[0]?.word;
    }),
  );
  expect(answers).toEqual(Array.from({ length: 10 }, (_, index) => `word ${index}`));
  expect(await database.db.selectFrom('rate_limits').selectAll().execute()).toEqual([]);
});

it('OPS-32: reports that take all their connections keep nobody else waiting', async () => {
  await open({ querySeconds: 30 });
  const reports = Array.from({ length: 8 }, () => sleeping(database.reports, 1));
  const first = await Promise.race([
    Promise.any(reports).then(() => 'a report'),
    database.db
      .selectFrom('users')
      .select('id')
      .execute()
      .then(() => 'the rest'),
  ]);
  expect(first).toBe('the rest');
  await Promise.all(reports);
});

it('OPS-33: past a pooler goes what outlives a transaction, and the pooler is asked for nothing that it refuses', async () => {
  await open({ directUrl });
  const heard: string[] = [];
  await database.listen('news', (payload) => heard.push(payload));
  const { rows } = await sql<{ statement_timeout: string }>`show statement_timeout`.execute(database.db);
  expect(rows).toEqual([{ statement_timeout: '0' }]);
  proxy.cut();
  await query(directUrl, `select pg_notify('news', 'past it')`);
  await vi.waitFor(() => expect(heard).toEqual(['past it']));
  // The lock of migrations is one of a connection: behind the pooler several processes would run them at once.
  expect(await migrate(database.patient)).toEqual([]);
});
