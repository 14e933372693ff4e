import { Memberships, Welcome } from '#contract/organizations.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { deletionOf, invited, join, organizationOf } from '../people.ts';

describe('the first organization and project', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server.close());

  const welcome = async (user: TestUser): Promise<Welcome> => {
    const answer = await server.call(user, 'POST', '/api/v2/user/welcome/');
    expect(answer.status).toBe(200);
    return v.parse(Welcome, await answer.json());
  };
  const memberships = async (user: TestUser) =>
    v.parse(Memberships, await (await server.call(user, 'GET', '/api/v2/user/organizations/')).json()).organizations;
  const leave = async (user: TestUser): Promise<void> => {
    for (const { organization } of await memberships(user)) {
      const path = await deletionOf(server, { ...user, organizationId: organization.uuid });
      expect((await server.call(user, 'DELETE', path)).status).toBe(204);
    }
  };
  /** As activation makes an account: with nothing. */
  const newcomer = async (): Promise<TestUser> => {
    const user = await server.createUser();
    await leave(user);
    await server.services.db.updateTable('users').set({ welcomed_at: null }).where('id', '=', user.userId).execute();
    return user;
  };
  const nothing = { organization_uuid: null, project_uuid: null };

  it('ONB-01: are made for a new account, owned by it, with who made them in the audit log', async () => {
    const ann = await newcomer();
    const made = await welcome(ann);
    expect(await memberships(ann)).toMatchObject([
      {
        organization: { uuid: made.organization_uuid, name: 'Personal', contact_email: ann.email },
        role: 'owner',
        projects: [{ uuid: made.project_uuid, name: 'My first project' }],
      },
    ]);
    const log = await server.services.db
      .selectFrom('audit_log')
      .select(['action', 'actor_id'])
      .where('organization_id', '=', made.organization_uuid)
      .orderBy('position')
      .execute();
    expect(log).toEqual([
      { action: 'organization.created', actor_id: ann.userId },
      { action: 'project.created', actor_id: ann.userId },
    ]);
  });

  it('ONB-01: are made once, however often and however many at a time ask', async () => {
    const bob = await newcomer();
    const all = await Promise.all(Array.from({ length: 8 }, () => welcome(bob)));
    expect(all.filter(({ project_uuid }) => project_uuid !== null)).toHaveLength(1);
    expect((await memberships(bob)).map(({ projects }) => projects.length)).toEqual([1]);
    await leave(bob);
    expect(await welcome(bob)).toEqual(nothing);
    expect(await memberships(bob)).toEqual([]);
  });

  it('ONB-01: are not made for who belongs to an organization, and not later either', async () => {
    const cy = await server.createUser();
    expect(await welcome(cy)).toEqual(nothing);
    await leave(cy);
    expect(await welcome(cy)).toEqual(nothing);
    expect(await memberships(cy)).toEqual([]);
  });

  it('ONB-01 UXP-98: are not made for who came by invitation and was removed', async () => {
    const [owner, eve] = [await server.createUser(), await newcomer()];
    const { token } = await invited(server, owner, { email: eve.email, role: 'member' });
    expect((await server.call(eve, 'POST', `/api/v2/organizations/invite/${token}/`)).status).toBe(200);
    // Straight in the database, so that only the acceptance can have noted it.
    await server.services.db.deleteFrom('memberships').where('user_id', '=', eve.userId).execute();
    expect(await welcome(eve)).toEqual(nothing);
    expect(await memberships(eve)).toEqual([]);
  });

  it('ONB-01 UXP-98: are not made for who joined before that was noted, and was removed, left or lost it', async () => {
    const owner = await server.createUser();
    const newMember = async (): Promise<TestUser> => {
      const user = await newcomer();
      await join(server, owner, user, 'member');
      return user;
    };
    const [removed, leaving, losing] = [await newMember(), await newMember(), await newMember()];
    const remove = (by: TestUser, user: TestUser) =>
      server.call(by, 'DELETE', `${organizationOf(owner)}users/${user.userId}/`);
    expect((await remove(owner, removed)).status).toBe(204);
    expect((await remove(leaving, leaving)).status).toBe(204);
    await leave(owner);
    for (const user of [removed, leaving, losing]) {
      expect(await welcome(user)).toEqual(nothing);
      expect(await memberships(user)).toEqual([]);
    }
  });

  it('ONB-01: are both made or neither', async () => {
    const dee = await newcomer();
    const { schema } = server.services.db;
    await schema.alterTable('projects').renameTo('projects_away').execute();
    try {
      expect((await server.call(dee, 'POST', '/api/v2/user/welcome/')).status).toBe(500);
    } finally {
      await schema.alterTable('projects_away').renameTo('projects').execute();
    }
    expect(await memberships(dee)).toEqual([]);
    expect((await welcome(dee)).project_uuid).not.toBeNull();
  });
});
