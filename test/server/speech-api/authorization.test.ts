import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestUser } from '../harness.ts';
import { refusal } from './client.ts';
import { bearer, projectKey, startSpeechServer, type SpeechServer } from './harness.ts';

let server: SpeechServer;
let user: TestUser;
let key: string;
beforeAll(async () => {
  server = await startSpeechServer();
  user = await server.createUser();
  ({ key } = await projectKey(server, user));
});
afterAll(() => server.close());

const PATHS = ['/files', '/models', '/transcriptions/count'];
const get = (path: string, authorization?: string): Promise<Response> =>
  fetch(`${server.url}/v1${path}`, { headers: authorization === undefined ? {} : { authorization } });

it('API-02: the JSON-wrapped token with the project opens the speech API, and so does a key of the project', async () => {
  for (const path of PATHS)
    for (const authorization of [
      bearer(user).authorization,
      `Bearer ${key}`,
      `bearer ${key}`,
      `Bearer \t ${key}\u00A0`,
    ])
      expect((await get(path, authorization)).status).toBe(200);
});

const INCORRECT = 'Incorrect API key provided.';
const MISSING = 'Missing API key.';
it.each<[what: string, authorization: () => string | undefined, said?: string]>([
  ['nothing', () => undefined, MISSING],
  ['an empty Bearer', () => 'Bearer ', MISSING],
  ['an unknown key', () => 'Bearer prl_0123456789'],
  ['a key without Bearer', () => key, MISSING],
  ['a key in another scheme', () => `Basic ${key}`, MISSING],
  ['a bad token', () => bearer({ ...user, access: `${user.access}x` }).authorization],
  ['another type', () => bearer(user).authorization.replace('jwt', 'key')],
  ['no project', () => `Bearer ${JSON.stringify({ type: 'jwt', token: user.access })}`],
  ['a token without Bearer', () => bearer(user).authorization.replace('Bearer ', ''), MISSING],
])('API-02 API-06: %s → 401', async (_what, authorization, said = INCORRECT) => {
  const message = `${said} You can get an API key at ${server.url}/api-keys/`;
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
