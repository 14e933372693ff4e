import { beforeEach, describe, expect, it } from 'vitest';
import type { LimitsUpdate } from '#contract/limits.ts';
import type { Role } from '#contract/roles.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { LimitReached } from '#server/money/limits/errors.ts';
import { setMaximum } from '#server/money/limits/operator.ts';
import { followingUpRefusals } from '#server/money/limits/refused.ts';
import type { TestServer, TestUser } from '../../harness.ts';
import { eventually } from '../../eventually.ts';
import { addProject, colleague } from '../../people.ts';
import { Served } from '../served.ts';
import { endRequest, useUp } from '../usage/usage.ts';

const served = new Served({ pollMs: 40 });
let server: TestServer;
let owner: TestUser;
beforeEach(() => {
  ({ server, ada: owner } = served);
});

const { use, now } = served;
const setLimit = async (of: string, budget: number | null): Promise<void> => {
  const body: LimitsUpdate = { limits: { budget_micros: budget } };
  expect((await server.call(owner, 'PUT', `/api/v2/limits/${of}/`, body)).status).toBe(200);
};
const setBudget = (budget: number | null) => setLimit(`organizations/${owner.organizationId}`, budget);
const setProjectBudget = (budget: number | null, projectId = owner.projectId) =>
  setLimit(`projects/${projectId}`, budget);
const subjects = async (email?: string): Promise<string[]> =>
  (await served.mails(email)).map((subject) => subject.replace(' – Parlance', ''));
/** No alert is on its way any more. */
const settled = (): Promise<void> =>
  eventually(async () => {
    const kinds = ['budget-alert', 'project-budget-alert'];
    expect(await served.db.selectFrom('jobs').select('id').where('kind', 'in', kinds).execute()).toEqual([]);
  });
/** Requests end, one after the other has been told of. */
const useEach = async (...costs: number[]): Promise<void> => {
  for (const micros of costs) {
    await use(micros);
    await settled();
  }
};
const sharesOf = (what: string) =>
  [
    `50 % of the budget of ${what} is used`,
    `80 % of the budget of ${what} is used`,
    `The budget of ${what} is used up`,
  ] as const;
const ALL = sharesOf('Test organization');
const PROJECT_ALL = sharesOf('the project Test project');
const [PROJECT_HALF, PROJECT_MUCH, PROJECT_UP] = PROJECT_ALL;
const lastMonth = () => new Date(Date.UTC(now().getUTCFullYear(), now().getUTCMonth(), 1) - 86_400_000);

describe.each([
  {
    whose: 'an organization',
    scope: 'organization',
    set: setBudget,
    shares: ALL,
    readers: ['billing'],
    others: ['admin', 'member'],
    who: 'Test organization',
    requests: 'requests',
    link: () => `/org/${owner.organizationId}/limits/`,
  },
  {
    whose: 'a project',
    scope: 'project',
    set: setProjectBudget,
    shares: PROJECT_ALL,
    readers: ['admin', 'billing'],
    others: ['member'],
    who: 'In the organization Test organization, the project Test project',
    requests: 'requests of the project',
    link: () => `/org/${owner.organizationId}/projects/${owner.projectId}/limits/`,
  },
] as const)('the budget of $whose', ({ scope, set, shares, readers, others, who, requests, link }) => {
  const [HALF, MUCH, UP] = shares;

  it('LIM-10 LIM-13: at 50, 80 and 100 % who pays and who may raise it are told, each once a month, and what it means', async () => {
    const inRoles = (roles: readonly Role[]) => Promise.all(roles.map((role) => colleague(server, owner, role)));
    const [told, untold] = [[owner, ...(await inRoles(readers))], await inRoles(others)];
    await set(1000);
    await useEach(499);
    expect(await subjects()).toEqual([]);
    await useEach(1, 100, 199, 1, 199, 1, 500);
    for (const { email } of told) expect(await subjects(email)).toEqual(shares);
    for (const { email } of untold) expect(await subjects(email)).toEqual([]);
    const [half, , up] = await served.letters();
    expect(half?.body_text).toContain(`${who} has used $0.0005 of its budget of $0.001 for `);
    expect(half?.body_text).toContain(`Nothing changes yet. At 100 %, new ${requests} are refused until 1 `);
    expect(up?.body_text).toContain(`New ${requests} are refused until 1 `);
    expect(up?.body_text).toContain('What is running goes on until no more can be reserved for it.');
    expect(up?.body_text).toContain(link());
  });

  it('LIM-10 LIM-13: mails only the highest of shares passed at once; a new month or budget begins anew', async () => {
    await set(1000);
    await useEach(900);
    expect(await subjects()).toEqual([MUCH]);
    await use(600, lastMonth());
    await settled();
    expect(await subjects()).toEqual([MUCH, HALF]);
    for (const budget of [900, 1800, 900]) {
      await set(budget);
      await settled();
    }
    expect(await subjects()).toEqual([MUCH, HALF, UP, HALF]);
    for (const budget of [10_000, 0, null]) await set(budget);
    await useEach(50_000);
    expect(await subjects()).toHaveLength(4);
  });

  it('LIM-10 LIM-13: one that refuses before all of it is used is told, too, once between two shares', async () => {
    const reached = new LimitReached('budget_micros', scope, 1000);
    const parts = { ...server.services, limitDefaults: LIMIT_DEFAULTS };
    const refuse = async (): Promise<void> => {
      const work = () => Promise.reject(reached);
      await Promise.all(
        Array.from({ length: 4 }, () =>
          expect(followingUpRefusals(parts, owner.projectId, work)).rejects.toBe(reached),
        ),
      );
      await settled();
    };
    const REFUSED = UP.replace('is used up', 'has refused a request');
    await set(1000);
    await refuse();
    await useEach(300);
    await refuse();
    await useEach(695);
    await refuse();
    expect(await subjects()).toEqual([REFUSED, MUCH, REFUSED]);
    await useEach(5, 100);
    await refuse();
    expect(await subjects()).toEqual([REFUSED, MUCH, REFUSED, UP]);
    const [, , last] = await served.letters();
    expect(last?.body_text).toContain(
      ' (UTC). A request needed more than is left of it beside what is reserved for others that run.',
    );
    expect(last?.body_text).toContain(`${who} has used $0.000995 of its budget of $0.001 for `);
    expect(last?.body_text).toContain(`New ${requests} that need more than is left are refused until 1 `);
  });
});

it('LIM-10 LIM-11: a budget that the operator lowers to what is used is told', async () => {
  await use(900);
  const parts = { ...server.services, limitDefaults: LIMIT_DEFAULTS };
  await setMaximum(parts, owner.organizationId, 'budget_micros', 1000);
  await settled();
  expect(await subjects()).toEqual([ALL[1]]);
});

it('LIM-10 LIM-13: many requests that end at once tell each share once, of the project and of its organization', async () => {
  const projectId = await addProject(server, owner, 'Other');
  await setProjectBudget(30_000);
  await setProjectBudget(20_000, projectId);
  await setBudget(40_000);
  await Promise.all(
    [owner, { projectId }].flatMap((user) => Array.from({ length: 25 }, () => useUp(served.db, user, 1000, now()))),
  );
  await settled();
  const all = [...ALL, PROJECT_HALF, PROJECT_MUCH, ...sharesOf('the project Other')];
  expect((await subjects()).toSorted()).toEqual(all.toSorted());
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
  await served.db.transaction().execute(async (trx) => {
    await endRequest(trx, owner, 1000, now());
    await trx.deleteFrom('projects').where('id', '=', owner.projectId).execute();
  });
  await settled();
  expect(await subjects()).toEqual([]);
});
