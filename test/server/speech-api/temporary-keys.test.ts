import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { LiveFailure } from '#contract/live.ts';
import { TemporaryKey } from '#contract/temporary-keys.ts';
import type { LimitName } from '#contract/limits.ts';
import { EngineError } from '#server/engine/port.ts';
import { GateKeeper } from '#server/speech-api/live/gate.ts';
import { checkStartRequest } from '#server/speech-api/live/start-request.ts';
import type { LiveRefusal } from '#server/speech-api/live/refusal.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { connectLive, liveKey, refusalOf, startSpeechServer, type LiveClient, type SpeechServer } from './harness.ts';
import { visitor } from './live/visitor.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({
    engine: { auto: true },
    limitDefaults: { concurrent_streams: 3, requests_per_minute: 12 },
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
  // Tests turn the clock ahead and back; what was counted ahead would lie in the future.
  await server.services.db.deleteFrom('rate_limits').execute();
});

interface MadeKey {
  id: string;
  key: string;
}
const apiKey = async (extra: object = {}, projectId = user.projectId): Promise<MadeKey> => {
  const { key, api_key } = await (
    await server.call(user, 'POST', `/api/v2/projects/${projectId}/api-keys/`, { name: 'CI', ...extra })
  ).json();
  return { id: api_key.uuid, key };
};
const revoke = async ({ id }: MadeKey): Promise<void> => {
  expect((await server.call(user, 'DELETE', `/api/v2/projects/${user.projectId}/api-keys/${id}/`)).status).toBe(204);
};
const mintWith = (key: string, extra: object = {}): Promise<Response> =>
  fetch(`${server.url}/v1/auth/temporary-api-key`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ usage_type: 'transcribe_websocket', expires_in_seconds: 60, ...extra }),
  });
const minted = async (key: string, extra: object = {}): Promise<string> =>
  v.parse(TemporaryKey, await (await mintWith(key, extra)).json()).api_key;

const CONFIG = { model: 'parlance-rt-1', audio_format: 's16le', sample_rate: 16_000, num_channels: 1 };
type Connection = Parameters<typeof connectLive>[1];
const begin = async (config: object, connection?: Connection): Promise<LiveClient> => {
  const client = connectLive(server, connection);
  await client.opened;
  client.socket.send(JSON.stringify({ ...CONFIG, ...config }));
  return client;
};
/** Begins, and waits until the engine answers. */
const running = async (config: object, connection?: Connection): Promise<LiveClient> => {
  const client = await begin(config, connection);
  client.socket.send(Buffer.alloc(320));
  await eventually(() => expect(client.frames).toEqual([expect.objectContaining({ tokens: [expect.anything()] })]));
  return client;
};
const finish = async (client: LiveClient): Promise<void> => {
  client.socket.send('');
  expect(await client.closed).toBe(1000);
  expect(client.frames.at(-1)).toMatchObject({ finished: true });
};
const failure = async (client: LiveClient): Promise<LiveFailure> => {
  expect(await client.closed).toBe(1000);
  return v.parse(LiveFailure, client.frames.at(-1));
};
const INVALID = { error_code: 401, error_type: 'unauthenticated', error_message: 'Invalid API key.' };
const INVALID_TEMPORARY = {
  error_code: 401,
  error_type: 'unauthenticated',
  error_message: 'Invalid/expired temporary API key.',
};
const sessions = () =>
  server.services.db.selectFrom('live_sessions').selectAll().where('project_id', '=', user.projectId).execute();
const bearerHeader = (key: string): Connection => ({ headers: { authorization: `Bearer ${key}` } });
const subprotocol = (key: string, name = 'soniox-api-key'): Connection => ({ protocols: [name, key] });

describe('ways for a key to reach the socket', () => {
  const WAYS: [string, (key: string) => [object, Connection]][] = [
    ['api_key in the first frame', (key) => [{ api_key: key }, {}]],
    ['Authorization on the upgrade', (key) => [{}, bearerHeader(key)]],
    ['a subprotocol', (key) => [{}, subprotocol(key)]],
    ['DOC-06: the subprotocol of our own name', (key) => [{}, subprotocol(key, 'parlance-api-key')]],
    ['header and first frame, the same', (key) => [{ api_key: key }, bearerHeader(key)]],
    ['subprotocol and first frame, the same', (key) => [{ api_key: key }, subprotocol(key)]],
    ['header and subprotocol, the same', (key) => [{}, { ...bearerHeader(key), ...subprotocol(key) }]],
  ];
  it.each(WAYS)('a project key: %s', async (_name, way) => {
    await finish(await running(...way((await apiKey()).key)));
  });

  it.each(WAYS)('a temporary key: %s', async (_name, way) => {
    await finish(await running(...way(await liveKey(server, user))));
  });

  it.each<[string, (a: string, b: string) => [object, Connection]]>([
    ['header and first frame', (a, b) => [{ api_key: a }, bearerHeader(b)]],
    ['subprotocol and first frame', (a, b) => [{ api_key: a }, subprotocol(b)]],
    ['header and subprotocol', (a, b) => [{}, { ...bearerHeader(a), ...subprotocol(b) }]],
  ])('two good keys that differ, %s → 400', async (_name, way) => {
    const client = await begin(...way((await apiKey()).key, (await apiKey()).key));
    expect(await failure(client)).toMatchObject({
      error_code: 400,
      error_type: 'invalid_request',
      error_message: 'The API key must be given in one way only.',
    });
  });

  it.each<[string, (key: string) => [object, Connection]]>(WAYS.slice(0, 4))(
    'a bad key opens, then a frame refuses: %s',
    async (_name, way) => {
      const client = await begin(...way('prl_000000000000000000000000000000000000000000000000'));
      expect(client.socket.readyState).toBe(client.socket.OPEN);
      expect(await failure(client)).toMatchObject(INVALID);
    },
  );

  it('what the console sends to the speech API is no key here', async () => {
    expect(
      await failure(
        await begin(
          {},
          {
            headers: {
              authorization: `Bearer ${JSON.stringify({ type: 'jwt', project_id: user.projectId, token: user.access })}`,
            },
          },
        ),
      ),
    ).toMatchObject(INVALID);
  });
});

describe('on whose behalf a stream runs', () => {
  it('with a project key: the public API’s, the key’s, the request’s; the reference is the request’s own', async () => {
    const { id, key } = await apiKey();
    await finish(await running({ api_key: key, client_reference_id: 'mine' }));
    expect(await sessions()).toEqual([
      expect.objectContaining({
        origin: 'public_api',
        api_key_id: id,
        request_id: expect.stringMatching(/^[\w-]{36}$/),
        client_reference_id: 'mine',
      }),
    ]);
  });

  it('with a temporary key made by a program: as with the program’s own key', async () => {
    const { id, key } = await apiKey();
    await finish(await running({ api_key: await minted(key) }));
    expect(await sessions()).toEqual([expect.objectContaining({ origin: 'public_api', api_key_id: id })]);
  });

  it('with a temporary key made by the console: the playground’s', async () => {
    await finish(await running({ api_key: await liveKey(server, user) }));
    expect(await sessions()).toEqual([expect.objectContaining({ origin: 'playground', api_key_id: null })]);
  });
});

describe('temporary keys', () => {
  it.each([
    { expires_in_seconds: 1 },
    { expires_in_seconds: 3600 },
    { max_session_duration_seconds: 1 },
    { max_session_duration_seconds: 18_000 },
  ])('takes %j', async (extra) => {
    expect((await mintWith((await apiKey()).key, extra)).status).toBe(201);
  });

  it.each([
    { expires_in_seconds: 0 },
    { expires_in_seconds: 3601 },
    { expires_in_seconds: 1.5 },
    { max_session_duration_seconds: 0 },
    { max_session_duration_seconds: 18_001 },
  ])('refuses %j', async (extra) => {
    expect((await mintWith((await apiKey()).key, extra)).status).toBe(400);
  });

  it('says that there is no speech generation to make a key for', async () => {
    const answer = await mintWith((await apiKey()).key, { usage_type: 'tts_rt' });
    expect(answer.status).toBe(400);
    expect((await refusalOf(answer)).validation_errors).toEqual([
      expect.objectContaining({
        location: 'body.payload.usage_type',
        message: 'Speech generation is not available: keys are for transcribe_websocket only.',
      }),
    ]);
  });

  it('make no further keys', async () => {
    expect((await mintWith(await minted((await apiKey()).key))).status).toBe(401);
  });

  it('do not outlive the project key that they were made with', async () => {
    const end = new Date(Date.now() + 30_000).toISOString();
    const { key } = await apiKey({ expires_at: end });
    const { api_key, expires_at } = v.parse(
      TemporaryKey,
      await (await mintWith(key, { expires_in_seconds: 3600 })).json(),
    );
    expect(expires_at).toBe(end);
    server.advance(31_000);
    expect(await failure(await begin({ api_key }))).toMatchObject(INVALID_TEMPORARY);
    server.advance(-31_000);
  });
});

describe('the end of a project key', () => {
  it('a revoked or expired key opens no stream', async () => {
    const [revoked, expired] = [
      await apiKey(),
      await apiKey({ expires_at: new Date(Date.now() + 60_000).toISOString() }),
    ];
    await revoke(revoked);
    server.advance(61_000);
    for (const { key } of [revoked, expired])
      expect(await failure(await begin({ api_key: key }))).toMatchObject(INVALID);
    server.advance(-61_000);
  });

  it('revoking ends the streams that run with it, and no others', async () => {
    const [one, other] = [await apiKey(), await apiKey()];
    const [ends, goesOn] = [await running({ api_key: one.key }), await running({ api_key: other.key })];
    await revoke(one);
    expect(await failure(ends)).toMatchObject(INVALID);
    await finish(goesOn);
  });

  it('revoking kills the temporary keys made with it, and their streams', async () => {
    const maker = await apiKey();
    const key = await minted(maker.key);
    const client = await running({ api_key: key });
    await revoke(maker);
    expect(await failure(client)).toMatchObject(INVALID_TEMPORARY);
    expect(await failure(await begin({ api_key: key }))).toMatchObject(INVALID_TEMPORARY);
    // It was refused, not let in and thrown out later.
    expect(await sessions()).toHaveLength(1);
  });

  it('expiry ends no running stream', async () => {
    const { key } = await apiKey({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    const client = await running({ api_key: key });
    server.advance(61_000);
    await revoke(await apiKey());
    await finish(client);
    server.advance(-61_000);
  });
});

const limitProject = (name: LimitName, own: number): Promise<unknown> =>
  server.services.db.insertInto('project_limits').values({ project_id: user.projectId, name, own }).execute();

describe('the lease', () => {
  /** A gate that is told of no revocation, and whose heart beats only when the test lets it. */
  const gate = async () => {
    const { services, speech } = server;
    const keeper = new GateKeeper(
      { ...services, database: { ...services.database, listen: () => Promise.reject(new Error('no channel')) } },
      speech.limitDefaults,
      3_600_000,
    );
    const { id, key } = await apiKey();
    const withdrawn: LiveRefusal[] = [];
    const admission = await (
      await keeper
        .gateFor(
          visitor({
            keys: { header: key, subprotocol: undefined },
            heardMs: () => 0,
            withdraw: (reason) => void withdrawn.push(reason),
          }),
        )
        .authenticate(CONFIG)
    ).admit(checkStartRequest(CONFIG, speech.models), () => {});
    return { keeper, id, withdrawn, admission };
  };
  it('its renewal leaves good streams alone', async () => {
    const { keeper, withdrawn } = await gate();
    const [before] = await sessions();
    server.advance(20_000);
    await keeper.renew();
    const [after] = await sessions();
    expect([withdrawn, after!.status]).toEqual([[], 'running']);
    expect(after!.lease_until.getTime() - before!.lease_until.getTime()).toBeGreaterThanOrEqual(20_000);
    server.advance(-20_000);
    await keeper.close();
  });

  it('its renewal ends the streams of a key that was revoked unheard', async () => {
    const { keeper, id, withdrawn } = await gate();
    await server.services.db.updateTable('api_keys').set({ revoked_at: new Date() }).where('id', '=', id).execute();
    await keeper.renew();
    expect(withdrawn).toEqual([expect.objectContaining({ code: 401, message: 'Invalid API key.' })]);
    await keeper.close();
  });

  it('its renewal ends a stream whose project is gone', async () => {
    const { keeper, withdrawn, admission } = await gate();
    await server.services.db.deleteFrom('projects').where('id', '=', user.projectId).execute();
    await keeper.renew();
    expect(withdrawn).toEqual([expect.objectContaining({ code: 401, type: 'unauthenticated' })]);
    await admission.release({ status: 'failed', audioMs: 0, refusal: null });
    await keeper.close();
  });

  it('a process that no longer renews it loses its places', async () => {
    await limitProject('concurrent_streams', 2);
    const [first, second] = [await gate(), await gate()];
    const { key } = await apiKey();
    expect(await failure(await begin({ api_key: key }))).toMatchObject({ error_code: 429 });
    server.advance(31_000);
    await finish(await running({ api_key: key }));
    await second.keeper.renew();
    await expect
      .poll(async () => (await sessions()).map(({ status }) => status).toSorted())
      .toEqual(['aborted', 'completed', 'running']);
    // It lives after all, and tells what it heard: what was billed by the lease is put right, and is logged once.
    await first.admission.release({ status: 'completed', audioMs: 500, refusal: null });
    await first.keeper.close();
    const logged = await server.services.db
      .selectFrom('usage_rows')
      .select(['status', 'audio_ms'])
      .where('project_id', '=', user.projectId)
      .orderBy('audio_ms', 'desc')
      .execute();
    expect(logged).toEqual([{ status: 'completed', audio_ms: 500 }, expect.objectContaining({ status: 'completed' })]);
    server.advance(-31_000);
    await second.keeper.close();
  });
});

describe('limits', () => {
  const otherProject = async (): Promise<string> =>
    (
      await (
        await server.call(user, 'POST', `/api/v2/organizations/${user.organizationId}/projects/`, {
          name: 'Other',
          description: '',
        })
      ).json()
    ).project.uuid;

  it('streams of a project at the same time → 429', async () => {
    await limitProject('concurrent_streams', 2);
    const { key } = await apiKey();
    const clients = [await running({ api_key: key }), await running({ api_key: key })];
    expect(await failure(await begin({ api_key: key }))).toMatchObject({
      error_code: 429,
      error_type: 'limit_exceeded',
      error_message: 'Your project has exceeded max number of concurrent requests.',
    });
    for (const client of clients) await finish(client);
  });

  it('streams of an organization at the same time, told first → 429', async () => {
    const [here, there] = [await apiKey(), await apiKey({}, await otherProject())];
    const clients = [
      await running({ api_key: here.key }),
      await running({ api_key: here.key }),
      await running({ api_key: there.key }),
    ];
    for (const { key } of [here, there])
      expect(await failure(await begin({ api_key: key }))).toMatchObject({
        error_code: 429,
        error_type: 'limit_exceeded',
        error_message: 'Your organization has exceeded max number of concurrent requests.',
      });
    for (const client of clients) await finish(client);
  });

  it('requests that a project begins within a minute → 429; other projects may go on, and it may a minute later', async () => {
    await limitProject('requests_per_minute', 5);
    const [{ key }, other] = [await apiKey(), await apiKey({}, await otherProject())];
    for (let n = 0; n < 5; n += 1) await finish(await running({ api_key: key }));
    expect(await failure(await begin({ api_key: key }))).toMatchObject({
      error_code: 429,
      error_type: 'limit_exceeded',
      error_message: 'Rate limit for your project has been exceeded.',
    });
    await finish(await running({ api_key: other.key }));
    server.advance(61_000);
    await finish(await running({ api_key: key }));
    server.advance(-61_000);
  });

  it('a start that is refused uses up no single-use key', async () => {
    const { key } = await apiKey();
    const once = await liveKey(server, user, { single_use: true });
    await limitProject('concurrent_streams', 2);
    const clients = [await running({ api_key: key }), await running({ api_key: key })];
    expect(await failure(await begin({ api_key: once }))).toMatchObject({ error_code: 429 });
    for (const client of clients) await finish(client);
    // A place is free once the end is written, which is after the socket has closed.
    await expect.poll(async () => (await sessions()).filter(({ status }) => status === 'running')).toEqual([]);
    await finish(await running({ api_key: once }));
  });

  it('OPS-52 nor does one that finds the last place of the engine taken: the key is good for the retry it is told of', async () => {
    const once = await liveKey(server, user, { single_use: true });
    vi.spyOn(server.engine, 'openStream').mockImplementationOnce(() => {
      throw new EngineError('overloaded', 'Too many streams.');
    });
    expect(await failure(await begin({ api_key: once }))).toMatchObject({ error_code: 503 });
    expect(await sessions()).toEqual([]);
    await finish(await running({ api_key: once }));
  });
});
