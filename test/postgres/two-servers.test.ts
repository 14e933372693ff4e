/** Two servers on one database: what is changed through one reaches the pages that the other serves. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#server/platform/db/open.ts';
import { createPostgres } from '../server/databases.ts';
import { organizationOf, projectOf } from '../server/core/people.ts';
import { follow } from '../server/events-reader.ts';
import { startTestServer, type TestServer } from '../server/harness.ts';

let servers: [TestServer, TestServer];
beforeAll(async () => {
  const databaseUrl = await createPostgres();
  const start = async () =>
    startTestServer({
      env: { SECRET_KEY: 'k'.repeat(32) },
      overrides: { database: await openDatabase({ databaseUrl }) },
    });
  servers = [await start(), await start()];
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

it('CON-05 a change through one server reaches who follows at the other, both ways, and a session that ends there', async () => {
  const [one, other] = servers;
  const user = await one.createUser();
  const [here, there] = [await follow(one, user), await follow(other, user)];
  const renamed = { type: 'organization.changed', organization_uuid: user.organizationId };
  expect(
    (await one.call(user, 'PUT', organizationOf(user), { name: 'By the first', contact_email: user.email })).status,
  ).toBe(200);
  await there.count(2);
  expect((await other.call(user, 'PUT', projectOf(user), { name: 'By the second', description: '' })).status).toBe(200);
  await Promise.all([here.count(3), there.count(3)]);
  const told = [
    { type: 'resync' },
    renamed,
    { type: 'project.changed', organization_uuid: user.organizationId, project_uuid: user.projectId },
  ];
  expect(here.events).toEqual(told);
  expect(there.events).toEqual(told);
  await one.services.db
    .updateTable('sessions')
    .set({ revoked_at: one.services.clock() })
    .where('id', '=', user.sessionId)
    .execute();
  await Promise.all([here.ended, there.ended]);
  expect(there.types().at(-1)).toBe('session.ended');
});
