import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../harness.ts';
import { consoleClient, refusal } from './client.ts';
import { bearer, liveKey, projectKey, startSpeechServer, type SpeechServer } from './harness.ts';

let server: SpeechServer;
let user: TestUser;
let key: string;
let temporary: string;
beforeAll(async () => {
  server = await startSpeechServer();
  user = await server.createUser();
  ({ key } = await projectKey(server, user));
  temporary = await liveKey(server, user);
});
afterAll(() => server.close());

const PATHS = ['/files', '/models', '/transcriptions/count'];
const get = (path: string, authorization?: string): Promise<Response> =>
  fetch(`${server.url}/v1${path}`, { headers: authorization === undefined ? {} : { authorization } });

it('API-02: the JSON-wrapped token with the project opens the speech API, and so does a key of the project', async () => {
  for (const path of PATHS)
    for (const authorization of [bearer(user).authorization, `Bearer ${key}`, `bearer ${key}`])
      expect((await get(path, authorization)).status).toBe(200);
});

it.each<[what: string, authorization: () => string | undefined]>([
  ['nothing', () => undefined],
  ['an empty Bearer', () => 'Bearer '],
  ['a bare access token', () => `Bearer ${user.access}`],
  ['an unknown key', () => 'Bearer prl_0123456789'],
  ['a longer key', () => `Bearer ${key}0`],
  ['a key without Bearer', () => key],
  ['a key in another scheme', () => `Basic ${key}`],
  ['a temporary key', () => `Bearer ${temporary}`],
  ['a bad token', () => bearer({ ...user, access: `${user.access}x` }).authorization],
  ['another type', () => bearer(user).authorization.replace('jwt', 'key')],
  ['no project', () => `Bearer ${JSON.stringify({ type: 'jwt', token: user.access })}`],
  ['a token without Bearer', () => bearer(user).authorization.replace('Bearer ', '')],
])('API-02: %s → 401', async (_what, authorization) => {
  const message = `Incorrect API key provided. You can get an API key at ${server.url}`;
  for (const path of PATHS)
    expect(await refusal(await get(path, authorization()))).toEqual([401, 'unauthenticated', message]);
});

it('API-02: a token and a key that have expired → 401', async () => {
  const old = await projectKey(server, user, { expires_at: new Date(Date.now() + 60_000).toISOString() });
  const expired = [bearer(user).authorization, `Bearer ${old.key}`];
  for (const authorization of expired) expect((await get('/files', authorization)).status).toBe(200);
  server.advance(601_000);
  for (const authorization of expired) expect((await get('/files', authorization)).status).toBe(401);
  server.advance(-601_000);
});

it('a project that is not the user’s, or does not exist → 404, never 403', async () => {
  const stranger = await server.createUser();
  for (const project of [stranger.projectId, randomUUID()])
    expect((await refusal(await get('/files', bearer(user, project).authorization))).slice(0, 2)).toEqual([
      404,
      'project_not_found',
    ]);
});

it('what belongs to another project does not exist', async () => {
  const stranger = await server.createUser();
  const [own, theirs] = [user, stranger].map((who) => consoleClient(() => ({ server, user: who })));
  const file = await theirs!.stored();
  const { id } = await theirs!.create({ file_id: file.id });
  for (const [method, path] of [
    ['GET', `/files/${file.id}`],
    ['GET', `/files/${file.id}/url`],
    ['DELETE', `/files/${file.id}`],
    ['GET', `/transcriptions/${id}`],
    ['GET', `/transcriptions/${id}/transcript`],
    ['DELETE', `/transcriptions/${id}`],
  ] as const)
    expect([method, path, await own!.statusOf(method, path)]).toEqual([method, path, 404]);
  expect((await refusal(await own!.post({ file_id: file.id }))).slice(0, 2)).toEqual([404, 'file_not_found']);
  expect((await (await own!.call('GET', '/files')).json()).files).toEqual([]);
  expect(await theirs!.statusOf('GET', `/files/${file.id}`)).toBe(200);
});
