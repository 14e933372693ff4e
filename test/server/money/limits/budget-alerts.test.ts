import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { LimitsUpdate } from '#contract/limits.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { setMaximum } from '#server/money/limits/operator.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { addProject, colleague } from '../../people.ts';
import { endRequest, useUp } from '../usage/usage.ts';

let server: TestServer;
let owner: TestUser;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  owner = await server.createUser();
});

const now = (): Date => server.services.clock();
const use = (micros: number, at = now()): Promise<string> => useUp(server.services.db, owner, micros, at);
const setBudget = async (budget: number | null): Promise<void> => {
  const body: LimitsUpdate = { limits: { budget_micros: budget } };
  const answer = await server.call(owner, 'PUT', `/api/v2/limits/organizations/${owner.organizationId}/`, body);
  expect(answer.status).toBe(200);
};
const setProjectBudget = async (budget: number | null, { projectId } = owner): Promise<void> => {
  const body: LimitsUpdate = { limits: { budget_micros: budget } };
  const answer = await server.call(owner, 'PUT', `/api/v2/limits/projects/${projectId}/`, body);
  expect(answer.status).toBe(200);
};
const mailsTo = async (email: string) =>
  server.services.db
    .selectFrom('outbox')
    .select(['subject', 'body_text'])
    .where('recipient', '=', email)
    .orderBy('position')
    .execute();
const subjects = async (email = owner.email): Promise<string[]> =>
  (await mailsTo(email)).map(({ subject }) => subject.replace(' – Parlance', ''));
/** No alert is on its way any more. */
const settled = (): Promise<void> =>
  eventually(async () =>
    expect(
      await server.services.db
        .selectFrom('jobs')
        .select('id')
        .where('kind', 'in', ['budget-alert', 'project-budget-alert'])
        .execute(),
    ).toEqual([]),
  );
const HALF = '50 % of the budget of Test organization is used';
const MUCH = '80 % of the budget of Test organization is used';
const UP = 'The budget of Test organization is used up';
const PROJECT = 'the project Test project';
const PROJECT_HALF = `50 % of the budget of ${PROJECT} is used`;
const PROJECT_MUCH = `80 % of the budget of ${PROJECT} is used`;
const PROJECT_UP = `The budget of ${PROJECT} is used up`;

it('LIM-10: at 50, 80 and 100 % owners and who pays are told, each once a month, and what it means', async () => {
  const payer = await colleague(server, owner, 'billing');
  const others = [await colleague(server, owner, 'admin'), await colleague(server, owner, 'member')];
  await setBudget(1000);
  await use(499);
  await settled();
  expect(await subjects()).toEqual([]);
  for (const micros of [1, 100, 199, 1, 199, 1, 500]) {
    await use(micros);
    await settled();
  }
  expect(await subjects()).toEqual([HALF, MUCH, UP]);
  expect(await subjects(payer.email)).toEqual([HALF, MUCH, UP]);
  for (const other of others) expect(await subjects(other.email)).toEqual([]);
  const [half, , up] = await mailsTo(owner.email);
  expect(half?.body_text).toContain('has used 0.0005 USD of its budget of 0.001 USD for ');
  expect(half?.body_text).toContain('Nothing changes yet. At 100 %, new requests are refused until 1 ');
  expect(up?.body_text).toContain('New requests are refused until 1 ');
  expect(up?.body_text).toContain('Requests that are running go on to their end.');
  expect(up?.body_text).toContain(`/org/${owner.organizationId}/limits/`);
});

it('LIM-10: many requests that end at once tell each share once', async () => {
  await setBudget(40_000);
  await Promise.all(Array.from({ length: 50 }, () => use(1000)));
  await settled();
  expect((await subjects()).toSorted()).toEqual([HALF, MUCH, UP].toSorted());
});

it('LIM-10: of shares that are passed at once the highest is told; another month, or another budget, begins anew', async () => {
  await setBudget(1000);
  await use(900);
  await settled();
  expect(await subjects()).toEqual([MUCH]);
  const before = new Date(Date.UTC(now().getUTCFullYear(), now().getUTCMonth(), 1) - 86_400_000);
  await use(600, before);
  await settled();
  expect(await subjects()).toEqual([MUCH, HALF]);
  await setBudget(900);
  await settled();
  expect(await subjects()).toEqual([MUCH, HALF, UP]);
  await setBudget(10_000);
  await setBudget(null);
  await use(50_000);
  await settled();
  expect(await subjects()).toHaveLength(3);
});

it('LIM-10 LIM-11: a budget that the operator lowers to what is used is told', async () => {
  await use(900);
  const parts = { ...server.services, limitDefaults: LIMIT_DEFAULTS };
  await setMaximum(parts, owner.organizationId, 'budget_micros', 1000);
  await settled();
  expect(await subjects()).toEqual([MUCH]);
});

it('LIM-13: at 50, 80 and 100 % of the budget of a project who pays and who may raise it are told, each once a month, and what it means', async () => {
  const told = [owner, await colleague(server, owner, 'admin'), await colleague(server, owner, 'billing')];
  const member = await colleague(server, owner, 'member');
  const projectId = await addProject(server, owner, 'Other');
  await setProjectBudget(1000);
  await useUp(server.services.db, { projectId }, 5000, now());
  await use(499);
  await settled();
  expect(await subjects()).toEqual([]);
  for (const micros of [1, 100, 199, 1, 199, 1, 500]) {
    await use(micros);
    await settled();
  }
  for (const { email } of told) expect(await subjects(email)).toEqual([PROJECT_HALF, PROJECT_MUCH, PROJECT_UP]);
  expect(await subjects(member.email)).toEqual([]);
  const [half, , up] = await mailsTo(owner.email);
  expect(half?.body_text).toContain(
    'In the organization Test organization, the project Test project has used 0.0005 USD of its budget of 0.001 USD for ',
  );
  expect(half?.body_text).toContain('Nothing changes yet. At 100 %, new requests of the project are refused until 1 ');
  expect(up?.body_text).toContain('New requests of the project are refused until 1 ');
  expect(up?.body_text).toContain(`/org/${owner.organizationId}/projects/${owner.projectId}/limits/`);
});

it('LIM-13: many requests that end at once tell each share once, of the project and of its organization', async () => {
  const projectId = await addProject(server, owner, 'Other');
  await setProjectBudget(30_000);
  await setProjectBudget(20_000, { ...owner, projectId });
  await setBudget(40_000);
  await Promise.all(
    [owner, { projectId }].flatMap((user) =>
      Array.from({ length: 25 }, () => useUp(server.services.db, user, 1000, now())),
    ),
  );
  await settled();
  const others = [PROJECT_HALF, PROJECT_MUCH, PROJECT_UP].map((subject) => subject.replace('Test project', 'Other'));
  expect((await subjects()).toSorted()).toEqual([HALF, MUCH, UP, PROJECT_HALF, PROJECT_MUCH, ...others].toSorted());
});

it('LIM-13: a budget that a project is lowered to is told, another month begins anew; one that it is not given is not', async () => {
  await use(900);
  await setProjectBudget(1800);
  await settled();
  expect(await subjects()).toEqual([PROJECT_HALF]);
  await setProjectBudget(900);
  await setProjectBudget(1800);
  await setProjectBudget(900);
  await settled();
  expect(await subjects()).toEqual([PROJECT_HALF, PROJECT_UP]);
  const before = new Date(Date.UTC(now().getUTCFullYear(), now().getUTCMonth(), 1) - 86_400_000);
  await use(750, before);
  await settled();
  expect(await subjects()).toEqual([PROJECT_HALF, PROJECT_UP, PROJECT_MUCH]);
  await setProjectBudget(0);
  await setProjectBudget(null);
  await use(50_000);
  await settled();
  expect(await subjects()).toHaveLength(3);
});

it('LIM-13: a budget that is lowered while requests end is told by one of both', async () => {
  await setProjectBudget(100_000);
  await Promise.all([...Array.from({ length: 10 }, () => use(1000)), setProjectBudget(10_000)]);
  await settled();
  expect(await subjects()).toContain(PROJECT_UP);
  expect(new Set(await subjects()).size).toBe((await subjects()).length);
});

it('LIM-13: alerts of a project that is deleted before they are mailed go with it', async () => {
  await setProjectBudget(1000);
  const { db } = server.services;
  await db.transaction().execute(async (trx) => {
    await endRequest(trx, owner, 1000, now());
    await trx.deleteFrom('projects').where('id', '=', owner.projectId).execute();
  });
  await settled();
  expect(await subjects()).toEqual([]);
});
