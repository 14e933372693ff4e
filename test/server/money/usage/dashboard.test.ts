import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Dashboard } from '#contract/dashboard.ts';
import { signAccess } from '#server/identity/auth.ts';
import type { TestServer, TestUser } from '../../harness.ts';
import { addProject, colleague, organizationOf, recordUse, type UsageRow } from '../../people.ts';
import { ended, writeUsage } from '../../usage.ts';
import { CREDIT, Served } from '../served.ts';
import { liveSession } from './live-session.ts';

const MAY = new Date('2026-05-15T12:00:00Z');
let now = MAY;
const served = new Served({ overrides: { clock: () => now } });
let server: TestServer;
let ada: TestUser;
beforeEach(() => {
  ({ server, ada } = served);
});
afterEach(() => {
  now = MAY;
});

const use = (...row: UsageRow) => recordUse(server, ...row);
/** By an access token of this moment: the tests go through months. */
const call = async (by: TestUser, method: string, path: string) =>
  server.call({ ...by, ...(await signAccess(server.services, by)) }, method, path);
async function dashboard(of = ada, by = of): Promise<Dashboard> {
  const answer = await call(by, 'GET', `${organizationOf(of)}dashboard/`);
  expect(answer.status).toBe(200);
  return v.parse(Dashboard, await answer.json());
}

describe('the dashboard', () => {
  it('ORG-04: nothing used yet, with a project and without', async () => {
    const nothing = { requests: 0, audio_ms: 0, cost_micros: 0 };
    const empty = {
      period: { start: '2026-05-01T00:00:00.000Z', end: now.toISOString() },
      totals: nothing,
      projects: [{ uuid: ada.projectId, name: 'Test project', ...nothing, last_used_at: null }],
      deleted_projects: [],
      steps: { transcribed: false, spoken: false, key_created: false },
      members: 1,
      balance_micros: CREDIT,
      is_exhausted: false,
      is_budget_reached: false,
    };
    expect(await dashboard()).toEqual(empty);
    await served.db.deleteFrom('projects').where('organization_id', '=', ada.organizationId).execute();
    expect(await dashboard()).toEqual({ ...empty, projects: [] });
  });

  it('ORG-04: sums and costs by project and over all, whatever became of the requests; what had no price adds nothing', async () => {
    const second = await addProject(server, ada, 'Second');
    await use(ada.projectId, '2026-05-10T00:00:00Z', 1000, 'completed', 28);
    await use(ada.projectId, '2026-05-11T00:00:00Z', 2000, 'failed');
    await use(second, '2026-05-12T00:00:00Z', 4_000_000_000, 'cancelled', 5_000_000_000);
    await use(second, '2026-04-30T00:00:00Z', 1000, 'completed', 7);
    await colleague(server, ada, 'billing');
    const [first, other] = [
      { requests: 2, audio_ms: 3000, cost_micros: 28, last_used_at: '2026-05-11T00:00:00.000Z' },
      { requests: 1, audio_ms: 4_000_000_000, cost_micros: 5_000_000_000, last_used_at: '2026-05-12T00:00:00.000Z' },
    ];
    expect(await dashboard()).toMatchObject({
      totals: { requests: 3, audio_ms: 4_000_003_000, cost_micros: 5_000_000_028 },
      projects: [
        { name: 'Test project', ...first },
        { name: 'Second', ...other },
      ],
      members: 2,
    });
  });

  it('ORG-04: from the first moment of the month, UTC, to now; earlier use shows as the last one', async () => {
    await use(ada.projectId, '2026-04-30T23:59:59.999Z', 1);
    expect((await dashboard()).projects).toEqual([
      expect.objectContaining({ requests: 0, audio_ms: 0, last_used_at: '2026-04-30T23:59:59.999Z' }),
    ]);
    await use(ada.projectId, '2026-05-01T00:00:00Z', 10);
    await use(ada.projectId, '2026-05-15T12:00:00Z', 100);
    expect((await dashboard()).totals).toMatchObject({ requests: 2, audio_ms: 110 });
    // With the new month it begins at nothing.
    now = new Date('2026-05-31T23:59:59.999Z');
    expect((await dashboard()).totals).toMatchObject({ requests: 2, audio_ms: 110 });
    now = new Date('2026-06-01T00:00:00Z');
    expect(await dashboard()).toMatchObject({
      period: { start: '2026-06-01T00:00:00.000Z', end: '2026-06-01T00:00:00.000Z' },
      totals: { requests: 0, audio_ms: 0 },
      projects: [{ last_used_at: '2026-05-15T12:00:00.000Z' }],
    });
  });

  it.each(['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z', '2028-02-29T12:00:00.000Z'])(
    'ORG-04: the month of %s',
    async (moment) => {
      now = new Date(moment);
      await use(ada.projectId, `${moment.slice(0, 7)}-01T00:00:00Z`, 5);
      expect(await dashboard()).toMatchObject({
        period: { start: `${moment.slice(0, 7)}-01T00:00:00.000Z` },
        totals: { requests: 1, audio_ms: 5 },
      });
    },
  );

  it('ORG-04: a member sees what they were added to, and sums of that; never of another organization', async () => {
    const bob = await colleague(server, ada, 'member');
    const second = await addProject(server, ada, 'Second');
    await use(ada.projectId, '2026-05-10T00:00:00Z', 1);
    await use(second, '2026-05-10T00:00:00Z', 10);
    await use(bob.projectId, '2026-05-10T00:00:00Z', 100);
    expect(await dashboard(ada, bob)).toMatchObject({
      totals: { requests: 1, audio_ms: 1 },
      projects: [{ name: 'Test project' }],
      members: 2,
    });
    expect((await dashboard()).totals).toMatchObject({ requests: 2, audio_ms: 11 });
    expect((await dashboard(bob)).totals).toMatchObject({ requests: 1, audio_ms: 100 });
  });

  it('DAT-07: a deleted project keeps its name and counts, for those who see all; a second one of the same name apart', async () => {
    const bob = await colleague(server, ada, 'member');
    const billing = await colleague(server, ada, 'billing');
    const eve = await server.createUser();
    const second = await addProject(server, ada, 'Second');
    const idle = await addProject(server, ada, 'Idle');
    await use(ada.projectId, '2026-05-10T00:00:00Z', 1, 'completed', 5);
    await use(second, '2026-05-11T00:00:00Z', 10, 'completed', 50);
    await use(idle, '2026-04-11T00:00:00Z', 100, 'completed', 500);
    const before = (await dashboard()).totals;
    for (const id of [second, idle]) expect((await call(ada, 'DELETE', `/api/v2/projects/${id}/`)).status).toBe(204);
    await addProject(server, ada, 'Second');
    const deleted = {
      uuid: second,
      name: 'Second',
      requests: 1,
      audio_ms: 10,
      cost_micros: 50,
      last_used_at: '2026-05-11T00:00:00.000Z',
    };
    for (const user of [ada, billing]) {
      expect(await dashboard(ada, user)).toMatchObject({
        totals: before,
        projects: [
          { name: 'Test project', requests: 1 },
          { name: 'Second', requests: 0 },
        ],
        deleted_projects: [deleted],
      });
    }
    expect(await dashboard(ada, bob)).toMatchObject({ totals: { requests: 1, cost_micros: 5 }, deleted_projects: [] });
    expect((await dashboard(eve)).deleted_projects).toEqual([]);
    now = new Date('2026-06-01T00:00:00Z');
    expect(await dashboard()).toMatchObject({ totals: { requests: 0 }, deleted_projects: [] });
  });

  it('ONB-23: what is done of the first steps, in the projects that one sees', async () => {
    const steps = async (by = ada) =>
      Object.entries((await dashboard(ada, by)).steps).flatMap(([step, is]) => (is ? [step] : []));
    const bob = await colleague(server, ada, 'member');
    const second = await addProject(server, ada, 'Second');
    await use(second, '2026-05-10T00:00:00Z', 1, 'failed');
    await use(second, '2026-05-10T00:00:00Z', 1, 'cancelled');
    expect(await steps()).toEqual([]);
    await use(second, '2025-05-10T00:00:00Z', 1);
    expect(await steps()).toEqual(['transcribed']);
    await writeUsage(served.db, [ended({ project_id: second, kind: 'real_time', status: 'completed', ended_at: MAY })]);
    expect(await steps()).toEqual(['transcribed', 'spoken']);
    const made = await server.call(ada, 'POST', `/api/v2/projects/${second}/api-keys/`, { name: 'First' });
    expect(made.status).toBe(201);
    expect(await steps()).toEqual(['transcribed', 'spoken', 'key_created']);
    expect(await steps(bob)).toEqual([]);
    // The logs of these years are removed for their age.
    await served.db.deleteFrom('log_days').execute();
    await served.db.deleteFrom('usage_rows').execute();
    expect(await steps()).toEqual(['transcribed', 'spoken', 'key_created']);
  });

  it('ORG-04: who may see billing sees the balance, with the usage that is not posted yet; a member does not', async () => {
    const [billing, member] = [await colleague(server, ada, 'billing'), await colleague(server, ada, 'member')];
    await served.use(11_200);
    for (const [by, balance] of [
      [ada, CREDIT - 11_200],
      [billing, CREDIT - 11_200],
      [member, null],
    ] as const)
      expect((await dashboard(ada, by)).balance_micros).toBe(balance);
  });

  it('BIX-16: dashboard and overview tell that the budget of the month is used up', async () => {
    await use(ada.projectId, '2026-05-10T00:00:00Z', 1000, 'completed', 28);
    const told = async () => [(await dashboard()).is_budget_reached, (await served.overview()).is_budget_reached];
    const limited = async (own: number) => {
      await served.db
        .insertInto('organization_limits')
        .values({ organization_id: ada.organizationId, name: 'budget_micros', own })
        .onConflict((conflict) => conflict.columns(['organization_id', 'name']).doUpdateSet({ own }))
        .execute();
      return told();
    };
    expect(await told()).toEqual([false, false]);
    expect(await limited(29)).toEqual([false, false]);
    // What is reserved may come back.
    const lease = { started_at: now, lease_until: new Date(now.getTime() + 30_000) };
    await liveSession(served.db, ada, { ...lease, reserved_ms: 1000, reserved_micros: 1 });
    expect(await limited(29)).toEqual([false, false]);
    expect(await limited(28)).toEqual([true, true]);
    expect(await limited(0)).toEqual([true, true]);
  });

  it('BIX-06: everybody is told that nothing is left, whatever of the organization they see', async () => {
    const member = await colleague(server, ada, 'member', { added: false });
    await served.use(9_999_999);
    expect(await dashboard(ada, member)).toMatchObject({ is_exhausted: false, projects: [] });
    await served.use(1);
    expect(await dashboard(ada, member)).toMatchObject({ is_exhausted: true, projects: [] });
    expect(await dashboard(ada, ada)).toMatchObject({ is_exhausted: true });
  });
});
