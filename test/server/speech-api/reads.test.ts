import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, startSpeechServer, type SpeechServer } from './harness.ts';
import type { TestUser } from '../harness.ts';

/** What the server does by itself may ask in between: the fewest of some tries are the call's own. */
const TRIES_MAX = 20;
const SELDOM_MS = 60_000;

describe('PRF-04: what a read asks the database', () => {
  let server: SpeechServer;
  let user: TestUser;
  let asked = 0;
  beforeAll(async () => {
    server = await startSpeechServer({ jobs: { pollMs: SELDOM_MS }, server: { pollMs: SELDOM_MS } });
    user = await server.createUser();
    server.services.database.watch(() => {
      asked += 1;
    });
  });
  afterAll(() => server.close());

  const ofUser = () => ({ authorization: `Bearer ${user.access}` });
  it.each([
    ['the organizations', () => '/api/v2/user/organizations/', ofUser],
    ['an organization', () => `/api/v2/organizations/${user.organizationId}/`, ofUser],
    ['its members', () => `/api/v2/organizations/${user.organizationId}/users/`, ofUser],
    ['a project', () => `/api/v2/projects/${user.projectId}/`, ofUser],
    ['its keys', () => `/api/v2/projects/${user.projectId}/api-keys/`, ofUser],
    ['files', () => '/v1/files?limit=20', () => bearer(user)],
    ['transcriptions', () => '/v1/transcriptions?limit=20', () => bearer(user)],
  ])('%s: who may, and what is read, and nothing else', async (_what, path, headers) => {
    let fewest = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES_MAX && fewest > 2; tries += 1) {
      const before = asked;
      const answer = await fetch(server.url + path(), { headers: headers() });
      await answer.arrayBuffer();
      expect(answer.status).toBe(200);
      fewest = Math.min(fewest, asked - before);
    }
    expect(fewest).toBe(2);
  });
});
