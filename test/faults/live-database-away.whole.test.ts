/** The database goes away while live sessions end, and comes back. */
import { join } from 'node:path';
import { Kysely, PostgresDialect } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import { pgliteDialect } from '#server/platform/db/dialect.ts';
import type { Database } from '#server/platform/db/database.ts';
import { DATABASE_FOLDER } from '#server/platform/db/open.ts';
import { PgliteHost } from '#server/platform/db/pglite.ts';
import type { Schema } from '#server/platform/db/schema.ts';
import { LiveEnds } from '#server/speech-api/live/ends.ts';
import { createLog } from '#server/platform/log.ts';
import type { LiveEnd } from '#server/money/usage/record.ts';
import type { TestUser } from '../server/harness.ts';
import { freshDataDir } from '../server/template.ts';
import { eventually } from '../server/eventually.ts';
import { liveKey, startSpeechServer, type LiveClient, type SpeechServer } from '../server/speech-api/harness.ts';
import { begin, finish } from '../server/speech-api/live/live-client.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const away = (): Error => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

/** A database that can be cut off; `afterCommit`: it commits, and goes before it says so. */
async function fragileDatabase() {
  const host = await PgliteHost.open(join(await freshDataDir(), DATABASE_FOLDER));
  const state = { isAway: false, afterCommit: false, refused: 0 };
  const query = async (text: string, parameters: readonly unknown[]) => {
    if (state.isAway) {
      state.refused += 1;
      throw away();
    }
    const answer = await host.query(text, parameters);
    if (state.afterCommit && text === 'commit') {
      state.afterCommit = false;
      throw away();
    }
    return answer;
  };
  const db = new Kysely<Schema>({ dialect: pgliteDialect({ query, close: async () => {} }) });
  const database: Database = {
    kind: 'embedded',
    db,
    reports: db,
    patient: db,
    listen: (channel, callback) => host.listen(channel, callback),
    watch: () => undefined,
    load: () => [],
    // Looked into after the server has closed, too.
    close: async () => {},
  };
  ends.push(() => host.close());
  return { database, state };
}

async function start(): Promise<{
  server: SpeechServer;
  user: TestUser;
  state: Awaited<ReturnType<typeof fragileDatabase>>['state'];
  stream: (ms: number) => Promise<LiveClient>;
}> {
  const { database, state } = await fragileDatabase();
  const server = await startSpeechServer({ engine: { auto: true }, server: { overrides: { database } } });
  ends.push(server.close);
  const user = await server.createUser();
  return {
    server,
    user,
    state,
    async stream(ms) {
      const before = server.engine.streams.length;
      const client = await begin(server, { api_key: await liveKey(server, user) });
      client.socket.send(Buffer.alloc(ms * 32));
      await eventually(() => expect(server.engine.streams[before]?.audioMs).toBe(ms));
      return client;
    },
  };
}
const billed = async ({ services: { db } }: SpeechServer) =>
  await db.selectFrom('usage_rows').select(['status', 'audio_ms', 'cost_micros']).orderBy('audio_ms').execute();

describe('a database that is away', { timeout: 60_000 }, () => {
  it('DAT-06: streams that end meanwhile are recorded when it is back, each once', async () => {
    const { server, state, stream } = await start();
    const [completed, left] = [await stream(7900), await stream(300)];
    state.isAway = true;
    await finish(completed);
    left.socket.terminate();
    await eventually(() => expect(state.refused).toBeGreaterThan(3));
    state.isAway = false;
    await eventually(async () =>
      expect(await billed(server)).toEqual([
        { status: 'cancelled', audio_ms: 300, cost_micros: 10 },
        { status: 'completed', audio_ms: 7900, cost_micros: 263 },
      ]),
    );
    expect(
      await server.services.db.selectFrom('live_sessions').select('id').where('status', '=', 'running').execute(),
    ).toEqual([]);
  });

  it('DAT-06: an end that was written, and nobody heard it, is not written again', async () => {
    const { server, state, stream } = await start();
    const client = await stream(500);
    state.afterCommit = true;
    await finish(client);
    await eventually(() => expect(state.afterCommit).toBe(false));
    // The next end waits behind it.
    await finish(await stream(700));
    await eventually(async () => expect((await billed(server)).map(({ audio_ms }) => audio_ms)).toEqual([500, 700]));
  });

  it('DAT-06: longer than a lease: nobody takes what waits for dead', async () => {
    const { server, state, stream } = await start();
    const client = await stream(7900);
    state.isAway = true;
    await finish(client);
    server.advance(120_000);
    state.isAway = false;
    await eventually(async () =>
      expect(await billed(server)).toEqual([{ status: 'completed', audio_ms: 7900, cost_micros: 263 }]),
    );
  });

  it('DAT-06: a server that stops waits for it', async () => {
    const { server, state, stream } = await start();
    await finish(await stream(100));
    await eventually(async () => expect(await billed(server)).toHaveLength(1));
    await stream(7900);
    const {
      services: { db },
    } = server;
    state.isAway = true;
    const closing = server.services.closing.run();
    await eventually(() => expect(state.refused).toBeGreaterThan(2));
    state.isAway = false;
    await closing;
    expect(await db.selectFrom('usage_rows').select('audio_ms').orderBy('audio_ms').execute()).toEqual([
      { audio_ms: 100 },
      { audio_ms: 7900 },
    ]);
  });
});

describe('ends that wait', () => {
  const END: LiveEnd = {
    status: 'completed',
    audioMs: 1,
    outputTokens: 0,
    latencyMs: null,
    finalsMs: null,
    errorCode: null,
    errorType: null,
    errorMessage: null,
    settings: null,
    at: new Date(),
  };
  const refusing = (error: Error) =>
    new Kysely<Schema>({ dialect: pgliteDialect({ query: () => Promise.reject(error), close: async () => {} }) });
  const make = (error: Error, options: { maxWaiting?: number; closingMs?: number } = {}) =>
    new LiveEnds({ db: refusing(error), log: createLog('silent'), ...options });

  /** A database with a connection for everybody, of which each is asked about one session. */
  const answering = (answer: (parameters: readonly unknown[]) => Promise<void>) => {
    const query = async (_: string, parameters: readonly unknown[] = []) => {
      await answer(parameters);
      return { command: 'SELECT', rowCount: 0, rows: [] };
    };
    const pool = { connect: async () => ({ query: query as never, release: () => {} }), end: async () => {} };
    return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  };

  it.each([
    ['is locked by others', 10, () => Promise.reject(Object.assign(new Error('lock timeout'), { code: '55P03' }))],
    ['never answers', 3, () => new Promise<void>(() => {})],
  ])('DAT-06: hold up no end of another project where what they need %s', async (_, held, answer) => {
    const db = answering(async (parameters) => {
      if (parameters.some((id) => String(id).startsWith('held'))) await answer();
    });
    const ends = new LiveEnds({ db, log: createLog('silent'), closingMs: 0 });
    for (let nth = 0; nth < held; nth += 1) void ends.add(`held${nth}`, END, `p${nth}`);
    void ends.add('free', END, 'q');
    await eventually(() => expect([...ends.waiting.keys()]).not.toContain('free'));
    expect(ends.waiting.size).toBe(held);
    await ends.close();
  });

  it('DAT-06: ask a database that is away few at a time, and tell of it once', async () => {
    const state = { isAway: true, refused: 0 };
    const db = answering(async () => {
      if (!state.isAway) return;
      state.refused += 1;
      throw away();
    });
    const lines: string[] = [];
    const ends = new LiveEnds({ db, log: createLog('info', { write: (line) => lines.push(line) }) });
    for (let nth = 0; nth < 100; nth += 1) void ends.add(`s${nth}`, END, `p${nth}`);
    await eventually(() => expect(state.refused).toBeGreaterThan(4));
    expect(state.refused).toBeLessThan(50);
    state.isAway = false;
    await ends.close();
    expect(ends.waiting.size).toBe(0);
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual([
      'the end of a live session could not be written yet and is tried again',
      'the end of a live session is written after all',
    ]);
  });

  it('DAT-06: take bounded memory: the oldest go', async () => {
    const waiting = make(away(), { maxWaiting: 2, closingMs: 0 });
    for (const id of ['a', 'b', 'c']) void waiting.add(id, END, 'p');
    expect([...waiting.waiting.keys()]).toEqual(['b', 'c']);
    await waiting.close();
  });

  it('DAT-06: do not keep a server from stopping for ever, nor does a database that never answers', async () => {
    const refused = make(away(), { closingMs: 50 });
    void refused.add('a', END, 'p');
    await refused.close();
    expect(refused.waiting.size).toBe(1);
    const silent = new LiveEnds({
      db: new Kysely<Schema>({ dialect: pgliteDialect({ query: () => new Promise(() => {}), close: async () => {} }) }),
      log: createLog('silent'),
      closingMs: 50,
    });
    void silent.add('a', END, 'p');
    await silent.close();
    expect(silent.waiting.size).toBe(1);
  });

  it('DAT-06: are given up where another try would change nothing', async () => {
    const broken = make(Object.assign(new Error('no such column'), { code: '42703' }));
    void broken.add('a', END, 'p');
    await eventually(() => expect(broken.waiting.size).toBe(0));
    await broken.close();
  });
});
