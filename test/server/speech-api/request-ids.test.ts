import { randomUUID } from 'node:crypto';
import { Hono } from 'hono';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { REQUEST_ID_HEADER } from '#contract/errors.ts';
import type { AppEnv } from '#server/http/env.ts';
import type { Services } from '#server/platform/context.ts';
import { repeat } from '#server/platform/repeat.ts';
import { boundTo } from '#server/platform/telemetry/work.ts';
import { SPOKEN } from '../fake-engine.ts';
import { startTestServer, type TestServer } from '../harness.ts';
import { keptLog } from '../log-lines.ts';
import { eventually } from '../eventually.ts';
import { consoleClient, UUID } from './client.ts';
import { startSpeechServer, type SpeechServer } from './harness.ts';
import { begin } from './live/live-client.ts';
import { onLoopback, startOther, type OtherServer } from '../outgoing-servers.ts';

/** A route whose work writes a line of its own, some time later. */
const chatty = ({ log }: Services) => ({
  routes: new Hono<AppEnv>().get('/chatty', async (c) => {
    await new Promise((resolve) => setImmediate(resolve));
    log.info('from below');
    return c.text('');
  }),
});

describe.each([
  { proxies: '127.0.0.1', who: 'a trusted proxy', takes: true },
  { proxies: '10.0.0.0/8', who: 'anybody else', takes: false },
])('a request of $who', ({ proxies, takes }) => {
  const { log, lines } = keptLog();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({
      env: { TRUSTED_PROXIES: proxies },
      overrides: { log },
      prepare: (services) => Promise.resolve(chatty(services)),
    });
  });
  afterAll(() => server.close());
  const idOf = async (given: string): Promise<string | null> =>
    (await fetch(`${server.url}/chatty`, { headers: { [REQUEST_ID_HEADER]: given } })).headers.get(REQUEST_ID_HEADER);

  it(`OPS-63 ${takes ? 'keeps' : 'does not keep'} the id that it came with, in its answer and its log lines`, async () => {
    const given = randomUUID();
    const id = await idOf(given);
    expect(id).toMatch(UUID);
    expect(id === given).toBe(takes);
    const own = lines.filter((line) => line['request_id'] === id);
    expect(own.map(({ msg }) => msg)).toEqual(['from below', 'request']);
  });

  it.each(['from-outside', '../../etc', `${randomUUID()} `.repeat(2), ''])(
    'OPS-63 gets another id for %j, which is none',
    async (given) => {
      expect(await idOf(given)).toMatch(UUID);
      expect(JSON.stringify(lines)).not.toContain('from-outside');
    },
  );
});

describe('what a request leaves to be done', () => {
  const { log, lines } = keptLog();
  let server: SpeechServer;
  let hooks: OtherServer;
  let failures = 0;
  beforeAll(async () => {
    hooks = await startOther((_seen, response) => response.writeHead(204).end());
    server = await startSpeechServer({
      outgoing: { allow: onLoopback },
      engine: {
        transcribe: () => (failures-- > 0 ? Promise.reject(new Error('not this time')) : Promise.resolve(SPOKEN)),
      },
      server: { overrides: { log } },
    });
  });
  afterAll(async () => {
    await server.close();
    await hooks.close();
  });
  beforeEach(() => {
    lines.length = 0;
    hooks.seen.length = 0;
  });

  it('OPS-64 has its id: the job in the database, each line of its runs, and the webhook that tells of the end', async () => {
    const user = await server.createUser();
    failures = 1;
    const { post } = consoleClient(() => ({ server, user }));
    const request_id = (await post({ webhook_url: `${hooks.url}/hook` })).headers.get(REQUEST_ID_HEADER);
    expect(request_id).toMatch(UUID);
    await eventually(() => expect(hooks.seen).toHaveLength(1));
    expect(hooks.seen[0]?.headers[REQUEST_ID_HEADER]).toBe(request_id);
    const line = {
      msg: 'a job failed and is tried again',
      request_id,
      job: expect.any(Number),
      job_kind: 'transcribe',
    };
    expect(lines).toContainEqual(expect.objectContaining(line));
  });

  it('OPS-64 is not taken for what the server does by itself, although a request happens to begin it', async () => {
    const { db } = server.services;
    const seen = new Promise<void>((resolve) => {
      const look = repeat(server.services, {
        name: 'a look that anybody may ask for',
        everyMs: 3_600_000,
        run: async () => {
          await db.selectFrom('jobs').select('id').execute();
          log.info('the common look');
          resolve();
        },
      });
      void boundTo({ requestId: randomUUID() }, look)();
    });
    await seen;
    expect(lines.find(({ msg }) => msg === 'the common look')).not.toHaveProperty('request_id');
  });

  it('OPS-63 goes on with a stream: what is logged for its frames has the id of its handshake', async () => {
    const client = await begin(server, { api_key: 'nobody' });
    await client.closed;
    await eventually(() => expect(lines.some(({ msg }) => msg === 'live session')).toBe(true));
    const own = lines.filter(({ msg }) => msg === 'live session' || msg === 'request');
    const ids = new Set(own.map((line) => line['request_id']));
    expect([...ids]).toEqual([client.frames.at(-1)?.['request_id']]);
  });
});
