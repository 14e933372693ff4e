import { TokenPair } from '#contract/session.ts';
import { prune } from '#server/accounts/prune.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';
import { publicCall, signUp } from './browser.ts';

const DAY_MS = 24 * 3600_000;

describe('pruning', () => {
  let server: TestServer;
  beforeAll(async () => { server = await startTestServer(); });
  afterAll(() => server.close());

  it('takes away what has expired and nothing else', async () => {
    const { db } = server.services;
    const tables = ['users', 'sessions', 'refresh_tokens', 'activations', 'rate_limits'] as const;
    const sizes = async (): Promise<number[]> => Promise.all(tables.map(async (table) => (await db.selectFrom(table).selectAll().execute()).length));
    const old = v.parse(TokenPair, await (await signUp(server, 'ada@example.com', 'long enough')).json());
    await prune(server.services);
    expect(await sizes()).toEqual([1, 1, 1, 1, 2]);

    server.advance(20 * DAY_MS);
    const fresh = v.parse(TokenPair, await (await publicCall(server, 'POST', '/api/v2/token/', { email: 'ada@example.com', password: 'long enough' })).json());
    server.advance(20 * DAY_MS);
    await prune(server.services);
    expect(await sizes()).toEqual([1, 1, 1, 0, 0]);
    expect((await publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: old.refresh })).status).toBe(401);
    expect((await publicCall(server, 'POST', '/api/v2/token/refresh/', { refresh: fresh.refresh })).status).toBe(200);
  });
});
