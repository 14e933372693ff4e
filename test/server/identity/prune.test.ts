import { TokenPair } from '#contract/session.ts';
import { prune, watchClock } from '#server/identity/accounts/prune.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';
import { publicCall, signUp } from '../browser.ts';
import { invited } from '../people.ts';
import { PASSWORD } from '#test/passwords.ts';

const DAY_MS = 24 * 3600_000;

describe('DAT-04 a clock that is set', () => {
  it('is told from one that goes on, ahead and back, once each', () => {
    let [wall, passed] = [Date.parse('2026-05-04T09:00:00Z'), 0];
    const isSteady = watchClock(
      () => new Date(wall),
      () => passed,
    );
    const go = (wallMs: number, ms = wallMs): boolean => {
      wall += wallMs;
      passed += ms;
      return isSteady();
    };
    const hour = 3600_000;
    expect(go(hour)).toBe(true);
    expect(go(hour + 60_000, hour)).toBe(true);
    expect(go(365 * DAY_MS, hour)).toBe(false);
    expect(go(hour)).toBe(true);
    expect(go(-365 * DAY_MS, hour)).toBe(false);
    expect(go(hour)).toBe(true);
  });
});

describe('pruning', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  it('takes away what has expired and nothing else', async () => {
    const { db } = server.services;
    const tables = [
      'users',
      'sessions',
      'refresh_tokens',
      'activations',
      'rate_limits',
      'recoveries',
      'sso_attempts',
      'sso_signups',
      'invitations',
    ] as const;
    const sizes = async (): Promise<number[]> =>
      Promise.all(tables.map(async (table) => (await db.selectFrom(table).selectAll().execute()).length));
    const old = v.parse(TokenPair, await (await signUp(server, 'ada@example.com', PASSWORD)).json());
    await publicCall(server, 'PUT', '/api/v2/user/password/recover/', { email: 'ada@example.com' });
    const created_at = server.services.clock();
    const expires_at = new Date(created_at.getTime() + 600_000);
    await db
      .insertInto('sso_attempts')
      .values({ state_hash: 'a', nonce: 'n', code_verifier: 'v', from_path: null, created_at, expires_at })
      .execute();
    await db
      .insertInto('sso_signups')
      .values({
        token_hash: 'a',
        issuer: 'i',
        subject: 's',
        email: 'new@example.com',
        name: '',
        created_at,
        expires_at,
      })
      .execute();
    await invited(server, await server.createUser(), { email: 'guest@example.com', role: 'member' });
    await prune(server.services);
    expect(await sizes()).toEqual([2, 1, 1, 1, 10, 1, 1, 1, 1]);
    server.advance(601_000);
    await prune(server.services);
    expect(await sizes()).toEqual([2, 1, 1, 1, 10, 1, 0, 1, 1]);

    server.advance(20 * DAY_MS);
    const fresh = v.parse(
      TokenPair,
      await (
        await publicCall(server, 'POST', '/api/v2/token/', { email: 'ada@example.com', password: PASSWORD })
      ).json(),
    );
    server.advance(20 * DAY_MS);
    await prune(server.services);
    expect(await sizes()).toEqual([2, 1, 1, 0, 0, 0, 0, 0, 0]);
    expect((await publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: old.refresh })).status).toBe(401);
    expect((await publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: fresh.refresh })).status).toBe(200);
  });
});
