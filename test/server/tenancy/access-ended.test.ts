/** Whatever takes access away has the streams that stand on it ended now, not with the next heartbeat. */
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiKeyCreated } from '#contract/api-keys.ts';
import { ACCESS_ENDED_CHANNEL } from '#server/tenancy/access/ended.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { colleague, deletionOf, organizationOf, outcomeOf, projectOf } from '../people.ts';

const PROBE = 'no end of anything';

let server: TestServer;
let ada: TestUser;
let bob: TestUser;
let told: string[] = [];
beforeAll(async () => {
  server = await startTestServer();
  await server.services.database.listen(ACCESS_ENDED_CHANNEL, (payload) => {
    told.push(payload);
  });
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createUser();
  bob = await colleague(server, ada, 'member');
});

const makeKey = async (): Promise<string> =>
  v.parse(ApiKeyCreated, await (await server.call(bob, 'POST', `${projectOf(ada)}api-keys/`, { name: 'Live' })).json())
    .api_key.uuid;
const memberOf = (user: TestUser) => `${organizationOf(ada)}users/${user.userId}/`;

/**
 * What a call has told until it was answered. Words come in the order of their transactions, so that a later one says
 * that all have come.
 */
async function toldBy(method: string, path: string, body?: unknown): Promise<[string, string[]]> {
  told = [];
  const outcome = await outcomeOf(await server.call(ada, method, path, body));
  await server.services.database.db
    .selectNoFrom((eb) => eb.fn('pg_notify', [eb.val(ACCESS_ENDED_CHANNEL), eb.val(PROBE)]).as('done'))
    .execute();
  await eventually(() => expect(told).toContain(PROBE));
  return [outcome, told.filter((payload) => payload !== PROBE)];
}

describe('LIV-14 SEC-13: the end of an access is told with the change that ends it', () => {
  it.each<[string, () => Promise<[string, string, unknown?]>]>([
    ['another role', async () => ['PUT', memberOf(bob), { role: 'billing' }]],
    ['a member who is removed', async () => ['DELETE', memberOf(bob)]],
    [
      'a place in a project that is taken back',
      async () => ['DELETE', `${projectOf(ada)}users/`, { user_uuid: bob.userId }],
    ],
    ['a key that is revoked', async () => ['DELETE', `${projectOf(ada)}api-keys/${await makeKey()}/`]],
    ['a project that is deleted', async () => ['DELETE', projectOf(ada)]],
    ['an organization that is deleted', async () => ['DELETE', await deletionOf(server, ada)]],
  ])('%s', async (_name, prepare) => {
    const [method, path, body] = await prepare();
    const [outcome, words] = await toldBy(method, path, body);
    expect(outcome).toMatch(/^2/);
    expect(words.length).toBeGreaterThan(0);
  });

  it('what is refused tells nothing', async () => {
    expect(await toldBy('DELETE', memberOf(ada))).toEqual(['400 last_owner', []]);
  });
});
