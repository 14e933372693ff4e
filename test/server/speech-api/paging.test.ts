import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SPEECH_API } from '#contract/api/speech.ts';
import { MAIN_API } from '#contract/api/main.ts';
import type { TestUser } from '../harness.ts';
import { bearer, refusalOf, startSpeechServer, type SpeechServer } from './harness.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer();
  user = await server.createUser();
});
afterAll(() => server.close());

const WINDOW = 'start_time=2026-01-01T00:00:00Z&end_time=2026-01-02T00:00:00Z&';
const LISTS: Record<string, { query?: string; most?: number }> = {
  '/v1/files': {},
  '/v1/transcriptions': {},
  '/v1/usage-logs': { query: WINDOW },
  '/api/v2/organizations/{organization}/audit/': {},
  '/api/v2/organizations/{organization}/billing/transactions/': {},
  '/api/v2/projects/{project}/logs/': { most: 50 },
  '/api/v2/projects/{project}/webhooks/': {},
};
const pathOf = (path: string): string =>
  path.replace('{organization}', user.organizationId).replace('{project}', user.projectId);
const get = (path: string, limit: string): Promise<Response> =>
  fetch(`${server.url}${pathOf(path)}?${LISTS[path]?.query ?? ''}limit=${limit}`, {
    headers: path.startsWith('/v1') ? bearer(user) : { authorization: `Bearer ${user.access}` },
  });

describe('CON-14 a paging limit', () => {
  it('every list that takes one is looked at here', () => {
    const taking = [...SPEECH_API, ...MAIN_API]
      .filter(({ query }) => query !== undefined && JSON.stringify(query).includes('"limit"'))
      .map(({ path }) => path);
    expect(taking.toSorted()).toEqual(Object.keys(LISTS).toSorted());
  });

  describe.each(Object.entries(LISTS))('%s', (path, { most = 1000 }) => {
    it.each(['0', '-1', '1.5', '', String(most + 1), '100000', '1e3', 'all', '%2010', '9'.repeat(40)])(
      'out of range, as "%s" is, is refused with the range',
      async (limit) => {
        const response = await get(path, limit);
        expect(response.status).toBe(400);
        expect(
          (await refusalOf(response)).validation_errors.map(({ location, message }) => [location, message]),
        ).toEqual([['query.limit', `limit must be between 1 and ${most}.`]]);
      },
    );

    it.each(['1', '50', String(most)])('of %s is taken', async (limit) => {
      expect((await get(path, limit)).status).toBe(200);
    });
  });
});
