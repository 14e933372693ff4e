/** The connection that hears NOTIFY, and comes back by itself. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, it, vi, type Mock } from 'vitest';
import { listenOutside } from '#server/platform/db/listen.ts';
import { openPostgres } from '#server/platform/db/postgres.ts';
import { createPostgres } from '../server/databases.ts';
import { keptLog } from '../server/log-lines.ts';
import { query } from './cluster.ts';

let url: string;
/** Name under which the listening connection is known to the database. */
let name: string;
let clients: pg.Client[];
let ended: pg.Client[];
let isAway: boolean;
/** What the next connections are told when they want to listen. */
let refusal: Error | undefined;
let listener: ReturnType<typeof listenOutside>;
let logged: ReturnType<typeof keptLog>;

beforeEach(async () => {
  [url, name, clients, ended, isAway] = [await createPostgres(), `listener-${randomUUID()}`, [], [], false];
  refusal = undefined;
  const connect = (): pg.Client => {
    const client = new pg.Client({
      connectionString: isAway ? url.replace(/:\d+\//, ':1/') : url,
      application_name: name,
      query_timeout: 500,
    });
    clients.push(client);
    client.on('end', () => ended.push(client));
    if (refusal) client.query = (() => Promise.reject(refusal)) as typeof client.query;
    return client;
  };
  logged = keptLog();
  listener = listenOutside(connect, { retryMs: 50, pulseMs: 100, log: logged.log });
});
afterEach(() => listener.close());

/** What is heard from now on, and how often it went on after an interruption. */
async function hear(): Promise<{ heard: string[]; resumed: Mock<() => void> }> {
  const [heard, resumed]: [string[], Mock<() => void>] = [[], vi.fn<() => void>()];
  await listener.listen('news', (payload) => heard.push(payload), resumed);
  return { heard, resumed };
}
const tell = (payload: string): Promise<void> => query(url, `select pg_notify('news', '${payload}')`);
const cut = (): Promise<void> =>
  query(url, `select pg_terminate_backend(pid) from pg_stat_activity where application_name = '${name}'`);

it('CON-05 what is told is heard once, also after the connection was lost and came back', async () => {
  const { heard, resumed } = await hear();
  await tell('one');
  await vi.waitFor(() => expect(heard).toEqual(['one']));
  await cut();
  await vi.waitFor(() => expect(resumed).toHaveBeenCalledTimes(1), { timeout: 5000 });
  await tell('two');
  await vi.waitFor(() => expect(heard).toEqual(['one', 'two']));
  expect(clients).toHaveLength(2);
});

it('CON-05 while it is away nobody new is heard, and nothing of them is left when it is back', async () => {
  const { heard, resumed } = await hear();
  const refused: string[] = [];
  isAway = true;
  await cut();
  await vi.waitFor(() => expect(clients.length).toBeGreaterThan(2), { timeout: 5000 });
  await expect(listener.listen('news', (payload) => refused.push(payload))).rejects.toThrow(
    /is lost just now|ECONNREFUSED/,
  );
  isAway = false;
  await vi.waitFor(() => expect(resumed).toHaveBeenCalled(), { timeout: 5000 });
  await tell('back');
  await vi.waitFor(() => expect(heard).toEqual(['back']));
  expect(refused).toEqual([]);
  // A loss, each new reason why it lasts, and its end are in the log, however many tries there are.
  const lost = 'lost the connection that hears the database: pages and jobs may learn of changes late';
  expect(logged.lines.map(({ reason, msg }) => [reason, msg])).toEqual([
    [expect.stringContaining('terminating connection'), lost],
    [expect.stringContaining('ECONNREFUSED'), lost],
    [undefined, 'the connection that hears the database is back'],
  ]);
});

it('CON-05 a connection that goes silent without an end is noticed and replaced', async () => {
  const { heard, resumed } = await hear();
  // A database that is stopped answers nothing and closes nothing, as a firewall that dropped the connection.
  const silent = clients[0];
  if (!silent) throw new Error('Nobody listens.');
  silent.query = (() =>
    new Promise((_resolve, reject) => {
      setTimeout(() => reject(new Error('Query read timeout')), 10);
    })) as typeof silent.query;
  await vi.waitFor(() => expect(resumed).toHaveBeenCalledTimes(1), { timeout: 5000 });
  await tell('heard');
  await vi.waitFor(() => expect(heard).toEqual(['heard']));
});

it('CON-05 a first connection that fails is told, and the next one is tried anew', async () => {
  isAway = true;
  await expect(listener.listen('news', () => {})).rejects.toThrow('ECONNREFUSED');
  isAway = false;
  const { heard } = await hear();
  await tell('one');
  await vi.waitFor(() => expect(heard).toEqual(['one']));
});

it('DAT-12 an idle connection that the database ends does not end the process', async () => {
  const database = openPostgres({ databaseUrl: url });
  await database.db.selectFrom('users').select('id').execute();
  await query(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  await vi.waitFor(async () => expect(await database.db.selectFrom('users').select('id').execute()).toEqual([]), {
    timeout: 5000,
  });
  await database.close();
});

it('OPS-30 a connection that may not listen is closed: each try opens one of its own', async () => {
  refusal = new Error('too many listeners');
  await expect(listener.listen('news', () => {})).rejects.toThrow('too many listeners');
  await vi.waitFor(() => expect(ended).toEqual(clients));
  expect(clients).toHaveLength(1);
});
