import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';

describe('health', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  it('answers on both health addresses, with and without slash', async () => {
    for (const path of ['/healthz', '/readyz', '/readyz/']) {
      const answer = await fetch(server.url + path);
      expect([path, answer.status, await answer.json()]).toEqual([path, 200, { ok: true }]);
    }
  });
});
