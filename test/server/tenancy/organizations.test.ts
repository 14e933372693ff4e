import { ApiError } from '#contract/errors.ts';
import { Memberships, OrganizationCreated, ProjectCreated } from '#contract/organizations.ts';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer, type TestUser } from '../harness.ts';
import { organizationOf } from '../people.ts';

describe('organizations and projects', () => {
  let server: TestServer;
  let ada: TestUser;
  let eve: TestUser;
  beforeAll(async () => {
    server = await startTestServer();
    ada = await server.createUser();
    eve = await server.createUser();
  });
  afterAll(() => server.close());

  const memberships = async (user: TestUser): Promise<Memberships> =>
    v.parse(Memberships, await (await server.call(user, 'GET', '/api/v2/user/organizations/')).json());
  const createOrganization = (by: TestUser, name: string, contact_email = 'ada@example.com'): Promise<Response> =>
    server.call(by, 'POST', '/api/v2/organizations/', { name, contact_email });
  const createProject = (by: TestUser, name: string, description = ''): Promise<Response> =>
    server.call(by, 'POST', `${organizationOf(by)}projects/`, { name, description });
  /** What is wrong, field by field. */
  const texts = async (answer: Response): Promise<string[]> => {
    expect(answer.status).toBe(400);
    const { validation_errors } = v.parse(ApiError, await answer.json());
    return validation_errors.map(({ location, message }) => `${location}: ${message}`);
  };

  it('ORG-01: creates an organization with its creator as owner', async () => {
    const answer = await createOrganization(ada, '  Analytical Engines ');
    expect(answer.status).toBe(201);
    const {
      organization: { uuid },
    } = v.parse(OrganizationCreated, await answer.json());
    const mine = (await memberships(ada)).organizations;
    expect(mine.at(-1)).toEqual({
      organization: { uuid, name: 'Analytical Engines', contact_email: 'ada@example.com', feature_flags: [] },
      role: 'owner',
      projects: [],
    });
    const row = await server.services.db
      .selectFrom('memberships')
      .select(['user_id', 'role'])
      .where('organization_id', '=', uuid)
      .execute();
    expect(row).toEqual([{ user_id: ada.userId, role: 'owner' }]);
  });

  it.each([
    ['a', 'ada@example.com', ["body.name: Name can't be empty."]],
    ['   x  ', 'ada@example.com', ["body.name: Name can't be empty."]],
    ['x'.repeat(101), 'ada@example.com', ['body.name: Name must be at most 100 characters.']],
    ['Fine', 'nope', ['body.contact_email: Please enter a email address.']],
    ['Fine', `${'x'.repeat(50)}@example.com`, ['body.contact_email: Contact e-mail must be at most 60 characters.']],
    ['', '', ["body.name: Name can't be empty.", 'body.contact_email: Please enter a email address.']],
  ])('ORG-01: refuses name %j with contact %j', async (name, contact_email, expected) => {
    expect(await texts(await createOrganization(ada, name, contact_email))).toEqual(expected);
  });

  it('ORG-01 PRJ-01: takes the longest allowed values', async () => {
    const answers = [
      await createOrganization(eve, 'n'.repeat(100), `${'x'.repeat(48)}@example.com`),
      await createProject(eve, 'n'.repeat(100), 'd'.repeat(1024)),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
  });

  it('PRJ-01: creates a project in an own organization; the description may be empty', async () => {
    const answer = await createProject(ada, 'N');
    expect(answer.status).toBe(201);
    const {
      project: { uuid },
    } = v.parse(ProjectCreated, await answer.json());
    const own = (await memberships(ada)).organizations.find(
      ({ organization }) => organization.uuid === ada.organizationId,
    );
    expect(own?.projects).toEqual([
      { uuid: ada.projectId, name: 'Test project' },
      { uuid, name: 'N' },
    ]);
  });

  it.each([
    [' ', '', ["body.name: Name can't be empty."]],
    ['x'.repeat(101), '', ['body.name: Name must be at most 100 characters.']],
    ['Fine', 'd'.repeat(1025), ['body.description: Description must be at most 1024 characters.']],
  ])('PRJ-01: refuses name %j', async (name, description, expected) => {
    expect(await texts(await createProject(ada, name, description))).toEqual(expected);
  });

  it('lists organizations and projects oldest first, even within one instant', async () => {
    const user = await server.createUser();
    const names = ['one', 'two', 'three', 'four'];
    for (const name of names) await createOrganization(user, name);
    for (const name of names) await createProject(user, name);
    const { organizations } = await memberships(user);
    expect(organizations.map(({ organization }) => organization.name)).toEqual(['Test organization', ...names]);
    expect(organizations[0]?.projects.map(({ name }) => name)).toEqual(['Test project', ...names]);
  });

  it('answers with and without the trailing slash', async () => {
    expect((await server.call(ada, 'GET', '/api/v2/user')).status).toBe(200);
    expect((await server.call(ada, 'GET', '/api/v2/user/')).status).toBe(200);
  });

  it('the database takes a role only from the list', async () => {
    const insert = server.services.db
      .insertInto('memberships')
      .values({
        organization_id: eve.organizationId,
        user_id: ada.userId,
        role: JSON.parse('"king"'),
        created_at: new Date(),
      })
      .execute();
    await expect(insert).rejects.toMatchObject({ code: '23514' });
  });
});
