/** Two servers on one database: what is changed through one reaches the pages that the other serves. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '#server/platform/db/open.ts';
import { createPostgres } from '../server/databases.ts';
import { organizationOf, projectOf } from '../server/people.ts';
import { useUp } from '../server/money/usage/usage.ts';
import { follow } from '../server/events-reader.ts';
import { startTestServer, type TestServer, type TestUser } from '../server/harness.ts';
import { eventually } from '../server/eventually.ts';
import { dropOrganizations, unguarded } from '../server/money/books.ts';

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

it('LED-05 of organizations that one person makes at both servers at once one has the starting credit', async () => {
  const [first] = servers;
  const ways = {
    'as people do': ({ call }: TestServer, maker: TestUser) =>
      call(maker, 'POST', '/api/v2/organizations/', { name: 'Another', contact_email: maker.email }),
    // Without waiting for each other before.
    'straight in the database': ({ services: { db, clock } }: TestServer, maker: TestUser) =>
      db
        .insertInto('organizations')
        .values({
          id: randomUUID(),
          name: 'Another',
          contact_email: maker.email,
          feature_flags: [],
          created_by: maker.userId,
          created_at: clock(),
        })
        .execute(),
  };
  for (const make of Object.values(ways)) {
    const maker = await first.createUser();
    const { db } = first.services;
    await dropOrganizations(db, [maker.organizationId]);
    await unguarded(db, (trx) =>
      trx.deleteFrom('credits_given').where('organization_id', '=', maker.organizationId).execute(),
    );
    await Promise.all(Array.from({ length: 8 }, (_, n) => make(n % 2 === 0 ? first : servers[1], maker)));
    const accounts = await db
      .selectFrom('accounts')
      .innerJoin('organizations', 'organizations.id', 'organization_id')
      .select('balance_micros')
      .where('created_by', '=', maker.userId)
      .orderBy('balance_micros')
      .execute();
    expect(accounts.map(({ balance_micros }) => balance_micros)).toEqual([0, 0, 0, 0, 0, 0, 0, 10_000_000]);
  }
});

it('LIM-10 LIM-13 requests that end at both servers at once tell each share of both budgets once', async () => {
  const user = await servers[0].createUser();
  const limits = { limits: { budget_micros: 40_000 } };
  for (const place of [`organizations/${user.organizationId}`, `projects/${user.projectId}`])
    expect((await servers[0].call(user, 'PUT', `/api/v2/limits/${place}/`, limits)).status).toBe(200);
  await Promise.all(
    Array.from({ length: 25 }).flatMap(() =>
      servers.map(({ services: { db, clock } }) => useUp(db, user, 1000, clock())),
    ),
  );
  const { db } = servers[0].services;
  await eventually(async () =>
    expect(
      await db.selectFrom('jobs').select('id').where('kind', 'in', ['budget-alert', 'project-budget-alert']).execute(),
    ).toEqual([]),
  );
  const mails = await db.selectFrom('outbox').select('subject').where('recipient', '=', user.email).execute();
  expect(mails.map(({ subject }) => subject.replace(' – Parlance', '')).toSorted()).toEqual(
    ['Test organization', 'the project Test project']
      .flatMap((whose) => [
        `50 % of the budget of ${whose} is used`,
        `80 % of the budget of ${whose} is used`,
        `The budget of ${whose} is used up`,
      ])
      .toSorted(),
  );
});
