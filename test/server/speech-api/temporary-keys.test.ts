import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { TemporaryKey } from '#contract/temporary-keys.ts';
import type { LimitName } from '#contract/limits.ts';
import { EngineError } from '#server/engine/port.ts';
import { GateKeeper } from '#server/speech-api/live/gate.ts';
import { checkStartRequest } from '#server/speech-api/live/start-request.ts';
import type { LiveRefusal } from '#server/speech-api/live/refusal.ts';
import { addProject } from '../people.ts';
import type { TestUser } from '../harness.ts';
import { speechClient, UUID } from './client.ts';
import {
  liveKey,
  projectKey,
  setLimit,
  startSpeechServer,
  type LiveClient,
  type ProjectKey,
  type SpeechServer,
} from './harness.ts';
import { begin as beginAt, CONFIG, failure, finish, heard } from './live/live-client.ts';
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

const apiKey = (extra: object = {}): Promise<ProjectKey> => projectKey(server, user, extra);
const revoke = async ({ id }: ProjectKey): Promise<void> => {
  expect((await server.call(user, 'DELETE', `/api/v2/projects/${user.projectId}/api-keys/${id}/`)).status).toBe(204);
};
const mintWith = (key: string, extra?: object): Promise<Response> =>
  speechClient(() => ({ url: server.url, authorization: `Bearer ${key}` })).mint(extra);
const minted = async (key: string, extra?: object): Promise<TemporaryKey> =>
  v.parse(TemporaryKey, await (await mintWith(key, extra)).json());

type Connection = Parameters<typeof beginAt>[2];
const begin = (config: object, connection?: Connection): Promise<LiveClient> => beginAt(server, config, connection);
const running = (config: object, connection?: Connection): Promise<LiveClient> => heard(server, config, connection);
const refused = async (config: object, connection?: Connection) => failure(await begin(config, connection));
const INVALID = {
  error_code: 401,
  error_type: 'unauthenticated',
  error_message: expect.stringMatching(/^Incorrect API key provided\. You can get an API key at http:.*\/api-keys\/$/),
};
const INVALID_TEMPORARY = { ...INVALID, error_message: 'Invalid/expired temporary API key.' };
const sessions = () =>
  server.services.db
    .selectFrom('live_sessions')
    .selectAll()
    .where('project_id', '=', user.projectId)
    .orderBy('started_at')
    .execute();
const inHeader = (key: string): Connection => ({ headers: { authorization: `Bearer ${key}` } });
const inSubprotocol = (key: string, name = 'soniox-api-key'): Connection => ({ protocols: [name, key] });

describe('ways for a key to reach the socket', () => {
  type Way = (key: string) => [object, Connection];
  const WAYS: [string, Way][] = [
    ['api_key in the first frame', (key) => [{ api_key: key }, {}]],
    ['Authorization on the upgrade', (key) => [{}, inHeader(key)]],
    ['a subprotocol', (key) => [{}, inSubprotocol(key)]],
    ['the subprotocol of our own name', (key) => [{}, inSubprotocol(key, 'parlance-api-key')]],
  ];
  it.each<[string, Way]>([
    ...WAYS,
    ['api_key with blanks around it', (key) => [{ api_key: `\n ${key}\u00A0` }, {}]],
    ['header and first frame, the same', (key) => [{ api_key: ` ${key}` }, inHeader(`${key} `)]],
    ['subprotocol and first frame, the same', (key) => [{ api_key: key }, inSubprotocol(key)]],
    ['header and subprotocol, the same', (key) => [{}, { ...inHeader(key), ...inSubprotocol(key) }]],
  ])('DOC-06 API-06: a project key and a temporary one are good: %s', async (_name, way) => {
    await finish(await running(...way((await apiKey()).key)));
    await finish(await running(...way(await liveKey(server, user))));
  });

  it.each(WAYS)('API-06: a bad key opens, then a frame refuses: %s', async (_name, way) => {
    expect(await refused(...way('prl_000000000000000000000000000000000000000000000000'))).toMatchObject(INVALID);
  });

  it.each<[string, (a: string, b: string) => [object, Connection]]>([
    ['header and first frame', (a, b) => [{ api_key: a }, inHeader(b)]],
    ['subprotocol and first frame', (a, b) => [{ api_key: a }, inSubprotocol(b)]],
    ['header and subprotocol', (a, b) => [{}, { ...inHeader(a), ...inSubprotocol(b) }]],
  ])('two good keys that differ, %s → 400', async (_name, way) => {
    expect(await refused(...way((await apiKey()).key, (await apiKey()).key))).toMatchObject({
      error_code: 400,
      error_type: 'invalid_request',
      error_message: 'The API key must be given in one way only.',
    });
  });
});

it('a stream runs on behalf of its project key, or of the one that its temporary key was made with, else of the playground', async () => {
  const { id, key } = await apiKey();
  await finish(await running({ api_key: key, client_reference_id: 'mine' }));
  await finish(await running({ api_key: (await minted(key)).api_key }));
  await finish(await running({ api_key: await liveKey(server, user) }));
  const program = { origin: 'public_api', api_key_id: id };
  expect(await sessions()).toMatchObject([
    { ...program, client_reference_id: 'mine', request_id: expect.stringMatching(UUID) },
    { ...program, client_reference_id: null },
    { origin: 'playground', api_key_id: null },
  ]);
});

describe('temporary keys', () => {
  const keys = () => server.services.db.selectFrom('temporary_keys').selectAll();

  it('LIV-14: each is another one, and never stored as such', async () => {
    const [first, second] = [await liveKey(server, user), await liveKey(server, user)];
    expect(first).toMatch(/^prl_temp_[\w-]{43}$/);
    expect(second).not.toBe(first);
    expect(JSON.stringify(await keys().execute())).not.toContain(first.slice(9));
  });

  it('do not outlive the project key that they were made with', async () => {
    const end = new Date(Date.now() + 30_000).toISOString();
    const { key } = await apiKey({ expires_at: end });
    const { api_key, expires_at } = await minted(key, { expires_in_seconds: 3600 });
    expect(expires_at).toBe(end);
    server.advance(31_000);
    expect(await refused({ api_key })).toMatchObject(INVALID_TEMPORARY);
    server.advance(-31_000);
  });

  it('are forgotten a day after they expired', async () => {
    for (let n = 0; n < 2; n += 1) await liveKey(server, user);
    server.advance(2 * 86_400_000);
    await liveKey(server, await server.createUser());
    server.advance(-2 * 86_400_000);
    expect(await keys().execute()).toHaveLength(1);
  });
});

describe('the end of a project key', () => {
  it('a revoked or expired key opens no stream; one that runs goes on beyond the expiry', async () => {
    const revoked = await apiKey();
    const expired = await apiKey({ expires_at: new Date(Date.now() + 60_000).toISOString() });
    const client = await running({ api_key: expired.key });
    server.advance(61_000);
    await revoke(revoked);
    for (const { key } of [revoked, expired]) expect(await refused({ api_key: key })).toMatchObject(INVALID);
    await finish(client);
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
    const { api_key } = await minted(maker.key);
    const client = await running({ api_key });
    await revoke(maker);
    expect(await failure(client)).toMatchObject(INVALID_TEMPORARY);
    expect(await refused({ api_key })).toMatchObject(INVALID_TEMPORARY);
    // It was refused, not let in and thrown out later.
    expect(await sessions()).toHaveLength(1);
  });
});

const limitProject = (name: LimitName, own: number): Promise<void> => setLimit(server, user, 'project', name, own);

describe('the lease', () => {
  /** A gate that is told of no revocation, and whose heart beats only when the test lets it. */
  const gate = async () => {
    const { services, speech } = server;
    const keeper = new GateKeeper(
      { ...speech, database: { ...services.database, listen: () => Promise.reject(new Error('no channel')) } },
      3_600_000,
    );
    const { id, key } = await apiKey();
    const withdrawn: LiveRefusal[] = [];
    const guest = visitor({
      keys: { header: key, subprotocol: undefined },
      heardMs: () => 0,
      asked: () => null,
      withdraw: (reason) => void withdrawn.push(reason),
    });
    const known = await keeper.gateFor(guest).authenticate(CONFIG);
    const admission = await known.admit(checkStartRequest(CONFIG, speech.models), () => {});
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
    expect(withdrawn).toEqual([expect.objectContaining({ code: 401, message: INVALID.error_message })]);
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
    expect(await refused({ api_key: key })).toMatchObject({ error_code: 429 });
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
  const full = (message: string) => ({ error_code: 429, error_type: 'limit_exceeded', error_message: message });
  /** A key of this project, and one of another of the organization. */
  const twoKeys = async () => {
    const other = { ...user, projectId: await addProject(server, user, 'Other') };
    return [(await apiKey()).key, (await projectKey(server, other)).key] as const;
  };

  it('streams of a project, and of its organization, which is told first, at the same time → 429', async () => {
    await limitProject('concurrent_streams', 2);
    const [here, there] = await twoKeys();
    const clients = [await running({ api_key: here }), await running({ api_key: here })];
    expect(await refused({ api_key: here })).toMatchObject(
      full('Your project has exceeded max number of concurrent requests.'),
    );
    clients.push(await running({ api_key: there }));
    for (const api_key of [here, there])
      expect(await refused({ api_key })).toMatchObject(
        full('Your organization has exceeded max number of concurrent requests.'),
      );
    for (const client of clients) await finish(client);
  });

  it('a start that is refused uses up no single-use key', async () => {
    const { key } = await apiKey();
    const once = await liveKey(server, user, { single_use: true });
    await limitProject('concurrent_streams', 2);
    const clients = [await running({ api_key: key }), await running({ api_key: key })];
    expect(await refused({ api_key: once })).toMatchObject({ error_code: 429 });
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
    expect(await refused({ api_key: once })).toMatchObject({ error_code: 503 });
    expect(await sessions()).toEqual([]);
    await finish(await running({ api_key: once }));
  });
});
