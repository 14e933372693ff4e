import { ApiError } from '#contract/errors.ts';
import { TokenPair } from '#contract/session.ts';
import { decodeJwt } from 'jose';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';
import { publicCall, signUp } from '../browser.ts';
import { PASSWORD } from '#test/passwords.ts';

const EMAIL = 'ada@example.com';

describe('token', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
    await signUp(server, EMAIL, PASSWORD);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    await server.services.db.deleteFrom('rate_limits').execute();
  });

  const signIn = (email: string, password: string): Promise<Response> =>
    publicCall(server, 'POST', '/api/v2/token/', { email, password });
  const pairOf = async (answer: Response): Promise<TokenPair> => v.parse(TokenPair, await answer.json());
  const refusal = async (answer: Response): Promise<ApiError> => v.parse(ApiError, await answer.json());
  const refresh = (token: string): Promise<Response> =>
    publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: token });
  const verify = async (token: string): Promise<number> =>
    (await publicCall(server, 'POST', '/api/v2/token/verify/', { token })).status;

  it('ACC-01: a right password opens a session of ten minutes', async () => {
    const answer = await signIn(' Ada@Example.com ', PASSWORD);
    expect(answer.status).toBe(200);
    const pair = await pairOf(answer);
    const claims = decodeJwt(pair.access);
    expect(claims.exp).toBe(pair.access_expires_at);
    expect(pair.access_expires_at - server.services.clock().getTime() / 1000).toBeGreaterThan(590);
    expect(pair.access_expires_at - server.services.clock().getTime() / 1000).toBeLessThanOrEqual(600);
    expect(claims['sid']).toEqual(expect.any(String));
    const user = await fetch(`${server.url}/api/v2/user/`, { headers: { authorization: `Bearer ${pair.access}` } });
    expect(await user.json()).toMatchObject({ email: EMAIL });
  });

  it('ACC-01: unknown e-mail and wrong password get the same text, as a 400 that ends no session', async () => {
    const [wrong, unknown] = await Promise.all([
      signIn(EMAIL, 'wrong password'),
      signIn('nobody@example.com', PASSWORD),
    ]);
    const first = await refusal(wrong);
    const second = await refusal(unknown);
    expect([wrong.status, unknown.status]).toEqual([400, 400]);
    expect(first).toMatchObject({ error_type: 'invalid_credentials', message: 'Wrong e-mail or password.' });
    expect({ ...second, request_id: '' }).toEqual({ ...first, request_id: '' });
  });

  it('stops the sixth wrong password of a minute, tells when to come back, and then lets in', async () => {
    const statuses: number[] = [];
    for (let round = 0; round < 5; round += 1) statuses.push((await signIn(EMAIL, 'wrong password')).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400]);
    const stopped = await signIn(EMAIL, PASSWORD);
    expect(stopped.status).toBe(429);
    expect((await refusal(stopped)).error_type).toBe('limit_exceeded');
    const wait = Number(stopped.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(12);
    expect((await signIn('somebody.else@example.com', PASSWORD)).status).toBe(400);
    server.advance(wait * 1000);
    expect((await signIn(EMAIL, PASSWORD)).status).toBe(200);
  });

  it('counts parallel tries one by one', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => signIn(EMAIL, 'wrong password')));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
  });

  it('does not count right passwords', async () => {
    for (let round = 0; round < 8; round += 1) expect((await signIn(EMAIL, PASSWORD)).status).toBe(200);
  });

  it('SES-04: tabs that refresh with one token at once all get a new pair, which works on', async () => {
    const { refresh: shared } = await pairOf(await signIn(EMAIL, PASSWORD));
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(shared)));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(10).fill(200));
    const pairs = await Promise.all(answers.map(pairOf));
    expect(new Set(pairs.map((pair) => pair.refresh)).size).toBe(10);
    for (const pair of pairs) {
      expect(pair.refresh).not.toBe(shared);
      expect(await verify(pair.access)).toBe(200);
      expect((await refresh(pair.refresh)).status).toBe(200);
    }
  });

  it('ends the whole session when a used refresh token comes back after the grace time', async () => {
    const first = await pairOf(await signIn(EMAIL, PASSWORD));
    const second = await pairOf(await refresh(first.refresh));
    server.advance(11_000);
    const reused = await refresh(first.refresh);
    expect(reused.status).toBe(401);
    expect((await refusal(reused)).error_type).toBe('unauthenticated');
    expect((await refresh(second.refresh)).status).toBe(401);
    expect(await verify(second.access)).toBe(401);
  });

  it('an old token of any age ends its family with all branches, and no other session of the user', async () => {
    const first = await pairOf(await signIn(EMAIL, PASSWORD));
    const other = await pairOf(await signIn(EMAIL, PASSWORD));
    const [left, right] = [await pairOf(await refresh(first.refresh)), await pairOf(await refresh(first.refresh))];
    server.advance(11_000);
    const youngest = await pairOf(await refresh(left.refresh));
    server.advance(3600_000);
    expect((await refresh(first.refresh)).status).toBe(401);
    for (const { refresh: token } of [left, right, youngest]) expect((await refresh(token)).status).toBe(401);
    expect((await refresh(other.refresh)).status).toBe(200);
  });

  it('refuses unknown and outlived refresh tokens', async () => {
    expect((await refresh('made-up')).status).toBe(401);
    const { refresh: old } = await pairOf(await signIn(EMAIL, PASSWORD));
    server.advance(31 * 24 * 3600_000);
    expect((await refresh(old)).status).toBe(401);
  });

  it('SES-08: signing out ends the session at once; unknown tokens are answered alike', async () => {
    const pair = await pairOf(await signIn(EMAIL, PASSWORD));
    const other = await pairOf(await signIn(EMAIL, PASSWORD));
    for (const token of [pair.refresh, pair.refresh, 'made-up']) {
      const answer = await publicCall(server, 'POST', '/api/v2/token/invalidate/', { refresh: token });
      expect([answer.status, await answer.json()]).toEqual([200, {}]);
    }
    expect(await verify(pair.access)).toBe(401);
    expect((await refresh(pair.refresh)).status).toBe(401);
    expect(await verify(other.access)).toBe(200);
  });

  it('an access token dies when its time is over', async () => {
    const { access } = await pairOf(await signIn(EMAIL, PASSWORD));
    // It ends at a whole second: up to one earlier than its time from now.
    server.advance(598_000);
    expect(await verify(access)).toBe(200);
    server.advance(3000);
    expect(await verify(access)).toBe(401);
  });

  it('keeps secrets as hashes only', async () => {
    const { refresh: token } = await pairOf(await signIn(EMAIL, PASSWORD));
    const { db } = server.services;
    const stored = JSON.stringify([
      await db.selectFrom('users').selectAll().execute(),
      await db.selectFrom('refresh_tokens').selectAll().execute(),
      await db.selectFrom('activations').selectAll().execute(),
    ]);
    expect(stored).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect(stored).not.toContain(PASSWORD);
    expect(stored).not.toContain(token);
  });
});
