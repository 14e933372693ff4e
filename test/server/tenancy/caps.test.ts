import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { API_KEYS_MAX } from '#contract/api-keys.ts';
import { ApiError } from '#contract/errors.ts';
import { ORGANIZATIONS_MAX, PROJECTS_MAX } from '#contract/organizations.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { addProject, colleague, deletionOf, join, organizationOf, projectOf } from '../people.ts';

let server: TestServer;
let ada: TestUser;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createUser();
});

const makeKey = (by = ada) => server.call(by, 'POST', `${projectOf(ada)}api-keys/`, { name: 'Nightly' });
const makeProject = (by = ada) =>
  server.call(by, 'POST', `${organizationOf(ada)}projects/`, { name: 'Interviews', description: '' });
const makeOrganization = (by = ada) =>
  server.call(by, 'POST', '/api/v2/organizations/', { name: 'Engines', contact_email: 'ada@example.com' });
/** It is refused, and says this. */
const isFull = async (answer: Response, message: string): Promise<void> => {
  expect([answer.status, v.parse(ApiError, await answer.json())]).toMatchObject([
    429,
    { error_type: 'limit_exceeded', message },
  ]);
};
/** Six at once where one place is left: the statuses in order. Of two, one might be through before the other counts. */
const race = async (make: () => Promise<Response>) => {
  const six = <T>(action: () => Promise<T>) =>
    Promise.all([action(), action(), action(), action(), action(), action()]);
  // A connection for each, or those that wait for one come when the first is through.
  await six(() => sql`select pg_sleep(0.05)`.execute(server.services.db));
  return (await six(make)).map(({ status }) => status).toSorted((one, other) => one - other);
};

describe('SEC-11: caps', () => {
  it(`a project has at most ${API_KEYS_MAX} keys; revoking one makes room`, async () => {
    const { db, clock } = server.services;
    const row = (name: string, expires_at: Date | null, revoked_at: Date | null) => ({
      id: randomUUID(),
      project_id: ada.projectId,
      name,
      masked: 'prl_…',
      key_hash: randomUUID(),
      created_by: null,
      created_at: clock(),
      expires_at,
      revoked_at,
    });
    // Whoever made them, and whether they have expired.
    const counted = Array.from({ length: 99 }, (_, index) => row(`k${index}`, clock(), null));
    await db
      .insertInto('api_keys')
      .values([...counted, row('gone', null, clock())])
      .execute();
    expect(await race(makeKey)).toEqual([201, 429, 429, 429, 429, 429]);
    await isFull(
      await makeKey(),
      'This project has 100 API keys, the most there can be. Revoke one that is no longer needed.',
    );
    const { id } = await db
      .selectFrom('api_keys')
      .select('id')
      .where('project_id', '=', ada.projectId)
      .where('revoked_at', 'is', null)
      .limit(1)
      .executeTakeFirstOrThrow();
    expect((await server.call(ada, 'DELETE', `${projectOf(ada)}api-keys/${id}/`)).status).toBe(204);
    expect((await makeKey()).status).toBe(201);
  });

  it(`an organization has at most ${PROJECTS_MAX} projects, made by anybody; deleting one makes room`, async () => {
    const bob = await colleague(server, ada, 'member');
    await Promise.all(Array.from({ length: 48 }, (_, index) => addProject(server, ada, `p${index}`)));
    expect(await race(() => makeProject(bob))).toEqual([201, 429, 429, 429, 429, 429]);
    await isFull(
      await makeProject(),
      'This organization has 50 projects, the most there can be. Delete one that is no longer needed.',
    );
    expect((await server.call(ada, 'DELETE', projectOf(ada))).status).toBe(204);
    expect((await makeProject()).status).toBe(201);
  });

  it(`a person makes at most ${ORGANIZATIONS_MAX} organizations; those of others do not count, and deleting one makes room`, async () => {
    // One is there, made with the person; a guest of another.
    const bob = await server.createUser();
    await join(server, bob, ada, 'owner');
    for (let made = 1; made < 19; made += 1) expect((await makeOrganization()).status).toBe(201);
    expect(await race(makeOrganization)).toEqual([201, 429, 429, 429, 429, 429]);
    await isFull(
      await makeOrganization(),
      'You have made 20 organizations, the most there can be. Delete one that is no longer needed.',
    );
    expect((await makeOrganization(bob)).status).toBe(201);
    expect((await server.call(ada, 'DELETE', await deletionOf(server, ada))).status).toBe(204);
    expect((await makeOrganization()).status).toBe(201);
  });
});
