/** Credentials that are forged, outlived, revoked, of somebody else, or for something else: none of them opens a call. */
import { createHmac, randomUUID } from 'node:crypto';
import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TokenPair } from '#contract/session.ts';
import { signAccess } from '#server/identity/auth.ts';
import { publicCall, signUp } from '../server/browser.ts';
import { outcomeOf } from '../server/people.ts';
import type { TestUser } from '../server/harness.ts';
import { connectLive, liveKey, startSpeechServer, type SpeechServer } from '../server/speech-api/harness.ts';
import { START } from '../server/speech-api/live/live-harness.ts';
import { createWorld, ROUTES, send, type World } from './calls.ts';

let server: SpeechServer;
let world: World;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer({ engine: { auto: true } });
  world = await createWorld(server);
  user = world.owner;
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.services.db.deleteFrom('rate_limits').execute();
});

const secret = (): Uint8Array => server.services.secretFor('access-token');
const nowSeconds = (): number => Math.floor(server.services.clock().getTime() / 1000);
const claims = () => ({
  sid: user.sessionId,
  sub: user.userId,
  iss: 'parlance',
  iat: nowSeconds(),
  exp: nowSeconds() + 600,
});
const signed = (more: Record<string, unknown> = {}, key: Uint8Array = secret(), alg = 'HS256'): Promise<string> =>
  new SignJWT({ ...claims(), ...more }).setProtectedHeader({ alg }).sign(key);
const endedSession = async (): Promise<string> => {
  const { db, clock } = server.services;
  const sessionId = randomUUID();
  await db
    .insertInto('sessions')
    .values({ id: sessionId, user_id: user.userId, created_at: clock(), revoked_at: clock() })
    .execute();
  return (await signAccess(server.services, { userId: user.userId, sessionId })).access;
};

const FORGERIES: readonly (readonly [string, () => Promise<string> | string])[] = [
  ['nothing that is a token', () => 'nonsense'],
  ['two dots', () => '..'],
  ['no signature', () => new UnsecuredJWT(claims()).encode()],
  [
    'alg none in capitals',
    () =>
      `${Buffer.from('{"alg":"NONE"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims())).toString('base64url')}.`,
  ],
  ['another key', () => signed({}, new Uint8Array(32))],
  ['the key of another purpose', () => signed({}, server.services.secretFor('file-links'))],
  ['another algorithm with the right key', () => signed({}, Buffer.concat([secret(), secret()]), 'HS512')],
  [
    'a key in its own header',
    async () => {
      const head = Buffer.from(
        JSON.stringify({
          alg: 'HS256',
          jwk: { kty: 'oct', k: Buffer.alloc(32).toString('base64url') },
          kid: '../../dev/null',
        }),
      ).toString('base64url');
      const body = Buffer.from(JSON.stringify(claims())).toString('base64url');
      return `${head}.${body}.${createHmac('sha256', Buffer.alloc(32)).update(`${head}.${body}`).digest('base64url')}`;
    },
  ],
  ['its signature cut', async () => (await signed()).slice(0, -3)],
  [
    'other claims under the signature',
    async () => {
      const [head, , signature] = (await signed()).split('.');
      return `${head}.${Buffer.from(JSON.stringify({ ...claims(), exp: nowSeconds() + 1e6 })).toString('base64url')}.${signature}`;
    },
  ],
  ['another issuer', () => signed({ iss: 'https://evil.example' })],
  ['no session', () => signed({ sid: undefined })],
  ['an unknown session', () => signed({ sid: randomUUID() })],
  ['a session that is no id', () => signed({ sid: 7 })],
  ['the session of somebody else', async () => signed({ sid: (await server.createUser()).sessionId })],
  ['its time over', () => signed({ iat: nowSeconds() - 700, exp: nowSeconds() - 100 })],
  ['a session that has ended', endedSession],
];
/** Those of the calls that ask for a login. */
const GUARDED = ROUTES.filter(({ access }) => access === 'bearer' || access === 'key');

describe.each(FORGERIES)('an access token with %s', (_name, forge) => {
  it('opens no call of either API', async () => {
    const token = await forge();
    const outcomes = GUARDED.map(async (route) => [
      route.id,
      await outcomeOf(await send(server, route, world.ids, token)),
    ]);
    expect(await Promise.all(outcomes)).toEqual(GUARDED.map(({ id }) => [id, '401 unauthenticated']));
    expect(await outcomeOf(await publicCall(server, 'POST', '/api/v2/token/verify/', { token }))).toBe(
      '401 unauthenticated',
    );
  });
});

it('SES-03: the token that the forgeries are made from is good', async () => {
  expect(
    (await fetch(`${server.url}/api/v2/user/`, { headers: { authorization: `Bearer ${await signed()}` } })).status,
  ).toBe(200);
});

describe('a credential for something else', () => {
  const apiKey = async (): Promise<string> =>
    (await (await server.call(user, 'POST', `/api/v2/projects/${user.projectId}/api-keys/`, { name: 'CI' })).json())
      .key;
  const main = (bearer: string): Promise<string> =>
    fetch(`${server.url}/api/v2/user/`, { headers: { authorization: `Bearer ${bearer}` } }).then(outcomeOf);
  const speech = (bearer: string): Promise<string> =>
    fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer ${bearer}` } }).then(outcomeOf);
  const live = async (api_key: string): Promise<unknown> => {
    const client = connectLive(server);
    await client.opened;
    client.socket.send(JSON.stringify({ ...START, api_key }));
    await client.closed;
    return client.frames[0]?.['error_code'];
  };

  it('PRJ-03: a key of a project opens no call of the console', async () => {
    const key = await apiKey();
    expect([await speech(key), await main(key)]).toEqual(['200', '401 unauthenticated']);
    expect(await main(JSON.stringify({ type: 'jwt', project_id: user.projectId, token: key }))).toBe(
      '401 unauthenticated',
    );
  });

  it('LIV-14: a temporary key opens a live session and no other call', async () => {
    const key = await liveKey(server, user);
    expect([await speech(key), await main(key)]).toEqual(['401 unauthenticated', '401 unauthenticated']);
    expect(await speech(JSON.stringify({ type: 'jwt', project_id: user.projectId, token: key }))).toBe(
      '401 unauthenticated',
    );
  });

  it('API-02: an access token by itself opens no call of the speech API and no live session; wrapped, no live session and not the main API', async () => {
    const wrapped = JSON.stringify({ type: 'jwt', project_id: user.projectId, token: user.access });
    expect([await speech(user.access), await main(wrapped), await speech(wrapped)]).toEqual([
      '401 unauthenticated',
      '401 unauthenticated',
      '200',
    ]);
    expect([await live(user.access), await live(wrapped)]).toEqual([401, 401]);
  });

  it('SES-08: a refresh token is no access token, and an access token refreshes nothing', async () => {
    const pair = v.parse(
      TokenPair,
      await (await signUp(server, 'tokens@example.com', 'quartz lantern orbit 71')).json(),
    );
    expect(await main(pair.refresh)).toBe('401 unauthenticated');
    expect(await outcomeOf(await publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: pair.access }))).toBe(
      '401 unauthenticated',
    );
    expect(decodeJwt(pair.access).sub).toEqual(expect.any(String));
  });

  it('PRJ-03: keys are compared as they are: no beginning, no other case, no blanks, no list', async () => {
    const key = await apiKey();
    for (const wrong of [
      key.slice(0, -1),
      `${key}0`,
      key.toUpperCase(),
      `${key},${key}`,
      `prl_${'%'.repeat(48)}`,
      "' or 1=1 --",
    ])
      expect([wrong, await speech(wrong)]).toEqual([wrong, '401 unauthenticated']);
  });
});
