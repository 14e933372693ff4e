import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiKeyCreated, MemberApiKeys } from '#contract/api-keys.ts';
import type { TestUser } from '../harness.ts';
import { eventually } from '../eventually.ts';
import { startSpeechServer, type SpeechServer } from '../speech-api/harness.ts';
import { begin, failure } from '../speech-api/live/live-client.ts';
import { addProject, auditOf, colleague, join, organizationOf, outcomeOf, projectOf } from '../people.ts';

let server: SpeechServer;
let ada: TestUser;
let bob: TestUser;
let second: string;
beforeAll(async () => {
  server = await startSpeechServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createUser();
  bob = await colleague(server, ada, 'member');
  second = await addProject(server, ada, 'Second project');
  await server.services.db
    .insertInto('project_members')
    .values({ project_id: second, user_id: bob.userId, created_at: server.services.clock() })
    .execute();
});

const make = async (by: TestUser, projectId: string, name: string): Promise<ApiKeyCreated> =>
  v.parse(
    ApiKeyCreated,
    await (await server.call(by, 'POST', `/api/v2/projects/${projectId}/api-keys/`, { name })).json(),
  );
/** The status of a speech call with this key. */
const status = async (key: string): Promise<number> =>
  (await fetch(`${server.url}/v1/files`, { headers: { authorization: `Bearer ${key}` } })).status;
const userOf = (user: TestUser) => `${organizationOf(ada)}users/${user.userId}/`;
const listed = async (by: TestUser, path: string): Promise<[string, string][]> => {
  const answer = await server.call(by, 'GET', `${path}api-keys/`);
  expect(answer.status).toBe(200);
  return v.parse(MemberApiKeys, await answer.json()).api_keys.map(({ name, project }) => [name, project.name]);
};

describe('SEC-13: the keys of a member who is removed', () => {
  it("are told to the remover and the member: those that the member made, of all projects, not revoked ones nor others'", async () => {
    await make(ada, ada.projectId, 'of Ada');
    const first = await make(bob, ada.projectId, 'Nightly');
    await make(bob, second, 'Import');
    const gone = await make(bob, second, 'Gone');
    await server.call(bob, 'DELETE', `/api/v2/projects/${second}/api-keys/${gone.api_key.uuid}/`);
    await make(bob, bob.projectId, 'elsewhere');
    for (const by of [ada, bob])
      expect(await listed(by, userOf(bob))).toEqual([
        ['Import', 'Second project'],
        ['Nightly', 'Test project'],
      ]);
    expect(await listed(ada, `${projectOf(ada)}users/${bob.userId}/`)).toEqual([['Nightly', 'Test project']]);
    const answer = await (await server.call(ada, 'GET', `${userOf(bob)}api-keys/`)).text();
    expect(answer).not.toContain(first.key);
    expect(answer).toContain(first.api_key.masked_key);
  });

  it('stay where nothing is said, and end with the member on request, in one step, each in the audit log', async () => {
    const keys = [await make(bob, ada.projectId, 'Nightly'), await make(bob, second, 'Import')];
    const [other, elsewhere] = [await make(ada, ada.projectId, 'of Ada'), await make(bob, bob.projectId, 'elsewhere')];
    const carl = await colleague(server, ada, 'member');
    const left = await make(carl, ada.projectId, 'left');
    expect((await server.call(ada, 'DELETE', userOf(carl))).status).toBe(204);
    expect(await status(left.key)).toBe(200);
    expect((await server.call(ada, 'DELETE', `${userOf(bob)}?revoke_api_keys=true`)).status).toBe(204);
    expect(await Promise.all([...keys, other, elsewhere, left].map(({ key }) => status(key)))).toEqual([
      401, 401, 200, 200, 200,
    ]);
    const log = await auditOf(server, ada);
    expect(
      log
        .slice(0, 3)
        .map(({ action, actor, subject, project }) => [action, actor, subject, String(project)].join(' / '))
        .toSorted((one, other) => one.localeCompare(other)),
    ).toEqual([
      `api_key.revoked / ${ada.email} / Import / Second project`,
      `api_key.revoked / ${ada.email} / Nightly / Test project`,
      `member.removed / ${ada.email} / ${bob.email} / null`,
    ]);
    expect(new Set(log.slice(0, 3).map(({ request_id }) => request_id)).size).toBe(1);
  });

  it('of a project end with the place in it, on request; those of other projects stay', async () => {
    const [here, there] = [await make(bob, ada.projectId, 'Nightly'), await make(bob, second, 'Import')];
    expect(
      (await server.call(ada, 'DELETE', `${projectOf(ada)}users/`, { user_uuid: bob.userId, revoke_api_keys: true }))
        .status,
    ).toBe(204);
    expect([await status(here.key), await status(there.key)]).toEqual([401, 200]);
    expect(
      (await server.call(ada, 'DELETE', `/api/v2/projects/${second}/users/`, { user_uuid: bob.userId })).status,
    ).toBe(204);
    expect(await status(there.key)).toBe(200);
  });

  it('stay where the removal is refused', async () => {
    const key = await make(ada, ada.projectId, 'of Ada');
    expect(await outcomeOf(await server.call(ada, 'DELETE', `${userOf(ada)}?revoke_api_keys=true`))).toBe(
      '400 last_owner',
    );
    expect(await status(key.key)).toBe(200);
  });

  it('go with who leaves, on request', async () => {
    const key = await make(bob, ada.projectId, 'Nightly');
    expect((await server.call(bob, 'DELETE', `${userOf(bob)}?revoke_api_keys=true`)).status).toBe(204);
    expect(await status(key.key)).toBe(401);
  });

  it('end their streams at once', async () => {
    const { key } = await make(bob, ada.projectId, 'Live');
    const client = await begin(server, { api_key: key });
    expect((await server.call(ada, 'DELETE', `${userOf(bob)}?revoke_api_keys=true`)).status).toBe(204);
    expect(await failure(client)).toMatchObject({ error_code: 401, error_type: 'unauthenticated' });
    await eventually(async () => expect(await status(key)).toBe(401));
  });

  it('cannot slip through: a key that is made while its maker is removed is revoked, or not made', async () => {
    for (let round = 0; round < 8; round += 1) {
      const carl = await server.createUser();
      await join(server, ada, carl, 'member');
      const [made, removed] = await Promise.all([
        server.call(carl, 'POST', `${projectOf(ada)}api-keys/`, { name: `race ${round}` }),
        server.call(ada, 'DELETE', `${userOf(carl)}?revoke_api_keys=true`),
      ]);
      expect(removed.status).toBe(204);
      // Either no key, or one that is good for nothing.
      const key = made.status === 201 ? v.parse(ApiKeyCreated, await made.json()).key : 'none';
      expect([201, 404]).toContain(made.status);
      expect(await status(key)).toBe(401);
    }
  });
});
