import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Member, Members, ProjectMember, ProjectMembers } from '#contract/members.ts';
import { Memberships, Projects } from '#contract/organizations.ts';
import { assignableBy, may, ROLES, type Role } from '#contract/roles.ts';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { addProject, colleague, join, organizationOf, projectOf, outcomeOf } from '../people.ts';

let server: TestServer;
let ada: TestUser;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  ada = await server.createUser();
});

const memberPath = (user: TestUser): string => `${organizationOf(ada)}users/${user.userId}/`;
const give = (by: TestUser, user: TestUser, role: string): Promise<Response> =>
  server.call(by, 'PUT', memberPath(user), { role });
/** What comes of changing the project. */
const rename = async (by: TestUser, name = 'Renamed', description = ''): Promise<string> =>
  outcomeOf(await server.call(by, 'PUT', projectOf(ada), { name, description }));
const remove = (by: TestUser, user: TestUser): Promise<Response> => server.call(by, 'DELETE', memberPath(user));
const read = async <S extends v.GenericSchema>(by: TestUser, schema: S, path: string): Promise<v.InferOutput<S>> =>
  v.parse(schema, await (await server.call(by, 'GET', path)).json());
/** Roles by e-mail, in the order of the list. */
const roles = async (by = ada): Promise<Record<string, Role>> => {
  const { users } = await read(by, Members, `${organizationOf(ada)}users/`);
  return Object.fromEntries(users.map(({ email, role }) => [email, role]));
};
const roleOf = async (user: TestUser): Promise<Role | undefined> =>
  (
    await server.services.db
      .selectFrom('memberships')
      .select('role')
      .where('organization_id', '=', ada.organizationId)
      .where('user_id', '=', user.userId)
      .executeTakeFirst()
  )?.role;

describe('the people of an organization', () => {
  it('ORG-05: oldest first, with names and roles; each by itself too', async () => {
    server.advance(1000);
    const bob = await colleague(server, ada, 'billing');
    await server.services.db.updateTable('users').set({ name: 'Bob' }).where('id', '=', bob.userId).execute();
    expect(Object.entries(await roles())).toEqual([
      [ada.email, 'owner'],
      [bob.email, 'billing'],
    ]);
    expect(await read(ada, Member, memberPath(bob))).toMatchObject({
      uuid: bob.userId,
      email: bob.email,
      name: 'Bob',
      role: 'billing',
    });
    server.advance(-1000);
  });

  it('ORG-05: a role that is changed counts at once', async () => {
    const bob = await colleague(server, ada, 'member');
    expect(await rename(bob)).toBe('403 permission_denied');
    const answer = await give(ada, bob, 'admin');
    expect([answer.status, v.parse(Member, await answer.json()).role]).toEqual([200, 'admin']);
    expect(await rename(bob)).toBe('200');
    await give(ada, bob, 'billing');
    expect(await rename(bob)).toBe('403 permission_denied');
  });

  it('a role that is none is refused', async () => {
    const bob = await colleague(server, ada, 'member');
    expect(await outcomeOf(await give(ada, bob, 'king'))).toBe('400 invalid_request');
  });
});

describe('whose role one may give and take', () => {
  it.each(ROLES)('ORG-05: %s, by the table', async (own) => {
    const actor = await colleague(server, ada, own);
    for (const theirs of ROLES) {
      const target = await colleague(server, ada, theirs);
      const allowed = may(own, 'members.manage') && assignableBy(own).includes(theirs);
      for (const role of ROLES) {
        expect([theirs, role, await outcomeOf(await give(actor, target, role))]).toEqual([
          theirs,
          role,
          allowed && assignableBy(own).includes(role) ? '200' : '403 permission_denied',
        ]);
        // The owner puts it back for the next round.
        await give(ada, target, theirs);
        expect(await roleOf(target)).toBe(theirs);
      }
      expect([theirs, await outcomeOf(await remove(actor, target))]).toEqual([
        theirs,
        allowed ? '204' : '403 permission_denied',
      ]);
      expect(await roleOf(target)).toBe(allowed ? undefined : theirs);
    }
  });
});

describe('the last owner', () => {
  it('ORG-05: can neither be demoted, nor leave', async () => {
    for (const role of ['admin', 'member', 'billing'] as const)
      expect(await outcomeOf(await give(ada, ada, role))).toBe('400 last_owner');
    expect(await outcomeOf(await remove(ada, ada))).toBe('400 last_owner');
    expect(await roleOf(ada)).toBe('owner');
  });

  it('ORG-05: of two that demote each other at once, one stays', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await server.createUser(), await server.createUser()];
      ada = one;
      await join(server, one, two, 'owner');
      const answers = await Promise.all([give(one, two, 'member'), give(two, one, 'member')]);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(Object.values(await roles(one)).sort()).toEqual(['member', 'owner']);
    }
  });

  it('ORG-05: of two that leave at once, one stays', async () => {
    const eve = await colleague(server, ada, 'owner');
    const answers = await Promise.all([remove(ada, ada), remove(eve, eve)]);
    expect((await Promise.all(answers.map(outcomeOf))).sort()).toEqual(['204', '400 last_owner']);
    expect([await roleOf(ada), await roleOf(eve)].filter((role) => role === 'owner')).toHaveLength(1);
  });
});

describe('leaving', () => {
  it('ORG-05: whoever is no owner may leave', async () => {
    for (const role of ['admin', 'member', 'billing'] as const) {
      const bob = await colleague(server, ada, role);
      expect((await remove(bob, bob)).status).toBe(204);
      expect(await roles()).toEqual({ [ada.email]: 'owner' });
    }
  });

  it('ORG-05: who is removed sees nothing any more, at once, and nothing again when they come back', async () => {
    const bob = await colleague(server, ada, 'member');
    expect((await server.call(bob, 'GET', projectOf(ada))).status).toBe(200);
    expect((await remove(ada, bob)).status).toBe(204);
    for (const path of [projectOf(ada), organizationOf(ada), `${organizationOf(ada)}users/`])
      expect(await outcomeOf(await server.call(bob, 'GET', path))).toBe('404 not_found');
    const { organizations } = await read(bob, Memberships, '/api/v2/user/organizations/');
    expect(organizations.map(({ organization }) => organization.uuid)).toEqual([bob.organizationId]);
    await join(server, ada, bob, 'member', { added: false });
    expect(await outcomeOf(await server.call(bob, 'GET', projectOf(ada)))).toBe('404 not_found');
  });

  it('what they did in the project stays: an API key goes on, and says who made it', async () => {
    const bob = await colleague(server, ada, 'member');
    expect((await server.call(bob, 'POST', `${projectOf(ada)}api-keys/`, { name: 'CI' })).status).toBe(201);
    await remove(bob, bob);
    const { api_keys } = await (await server.call(ada, 'GET', `${projectOf(ada)}api-keys/`)).json();
    expect(api_keys).toEqual([expect.objectContaining({ name: 'CI', created_by: bob.email })]);
  });
});

describe('the people of a project', () => {
  const usersPath = (projectId = ada.projectId): string => `/api/v2/projects/${projectId}/users/`;
  const add = (user_uuid: string | undefined, projectId?: string): Promise<Response> =>
    server.call(ada, 'POST', usersPath(projectId), { user_uuid });
  const takeOut = async ({ userId }: TestUser): Promise<string> =>
    outcomeOf(await server.call(ada, 'DELETE', usersPath(), { user_uuid: userId }));
  const reaching = async (projectId: string): Promise<Record<string, boolean>> => {
    const { users } = await read(ada, ProjectMembers, usersPath(projectId));
    return Object.fromEntries(users.map(({ email, is_added }) => [email, is_added]));
  };
  const visible = async (user: TestUser): Promise<string[]> =>
    (await read(user, Projects, `${organizationOf(ada)}projects/`)).projects.map(({ name }) => name);

  it('PRJ-02: everybody who reaches it; of them, members were added', async () => {
    const projectId = await addProject(server, ada, 'Second');
    const [admin, billing, added, outside] = [
      await colleague(server, ada, 'admin'),
      await colleague(server, ada, 'billing'),
      await colleague(server, ada, 'member'),
      await colleague(server, ada, 'member'),
    ];
    const answer = await add(added.userId, projectId);
    expect([answer.status, v.parse(ProjectMember, await answer.json())]).toEqual([
      201,
      expect.objectContaining({ email: added.email, is_added: true }),
    ]);
    expect(await reaching(projectId)).toEqual({
      [ada.email]: false,
      [admin.email]: false,
      [billing.email]: false,
      [added.email]: true,
    });
    expect([await visible(added), await visible(outside), await visible(billing)]).toEqual([
      ['Test project', 'Second'],
      ['Test project'],
      ['Test project', 'Second'],
    ]);
  });

  it('PRJ-02: who is taken out sees it no more; adding again is no error', async () => {
    const bob = await colleague(server, ada, 'member', { added: false });
    expect(await visible(bob)).toEqual([]);
    for (const _again of [1, 2]) expect((await add(bob.userId)).status).toBe(201);
    expect(await visible(bob)).toEqual(['Test project']);
    expect(await takeOut(bob)).toBe('204');
    expect(await visible(bob)).toEqual([]);
    expect(await takeOut(bob)).toBe('404 not_found');
  });

  it('PRJ-02: who reaches it by role cannot be taken out', async () => {
    const admin = await colleague(server, ada, 'admin');
    expect(await takeOut(admin)).toBe('404 not_found');
    expect((await server.call(admin, 'GET', projectOf(ada))).status).toBe(200);
  });

  it('PRJ-02: a member who makes a project is in it', async () => {
    const bob = await colleague(server, ada, 'member', { added: false });
    expect(
      (await server.call(bob, 'POST', `${organizationOf(ada)}projects/`, { name: "Bob's", description: '' })).status,
    ).toBe(201);
    expect(await visible(bob)).toEqual(["Bob's"]);
  });

  it.each([
    ['nobody', undefined, '400 invalid_request'],
    ['no id', 'x', '400 invalid_request'],
    ['a stranger', randomUUID(), '404 not_found'],
  ])('PRJ-02: refuses to add %s', async (_name, user_uuid, refused) => {
    expect(await outcomeOf(await add(user_uuid))).toBe(refused);
  });

  it('PRJ-02: renames and describes', async () => {
    expect(await rename(ada, '  Renamed ', 'Why')).toBe('200');
    expect(await (await server.call(ada, 'GET', projectOf(ada))).json()).toMatchObject({
      uuid: ada.projectId,
      name: 'Renamed',
      description: 'Why',
    });
    expect(await rename(ada, ' ')).toBe('400 invalid_request');
  });
});

describe('the settings of an organization', () => {
  it('ORG-06: name and contact change; the flags stay', async () => {
    await server.services.db
      .updateTable('organizations')
      .set({ feature_flags: ['stt-tags'] })
      .where('id', '=', ada.organizationId)
      .execute();
    const answer = await server.call(ada, 'PUT', organizationOf(ada), {
      name: 'Renamed',
      contact_email: 'office@example.com',
    });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ name: 'Renamed', contact_email: 'office@example.com', feature_flags: ['stt-tags'] }),
    ]);
    expect(await (await server.call(ada, 'GET', organizationOf(ada))).json()).toMatchObject({
      name: 'Renamed',
      created_at: expect.stringMatching(/Z$/),
    });
    expect(
      await outcomeOf(await server.call(ada, 'PUT', organizationOf(ada), { name: 'x', contact_email: 'no' })),
    ).toBe('400 invalid_request');
  });
});
