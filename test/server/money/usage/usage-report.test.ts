import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { ApiError } from '#contract/errors.ts';
import { UsageActivity, UsageCost, type OrganizationUsageRequest } from '#contract/usage.ts';
import { startTestServer, type TestUser } from '../../harness.ts';
import { addProject, colleague, organizationOf, projectOf } from '../../people.ts';
import { ended as endedRow, writeUsage } from '../../usage.ts';
import { Served } from '../served.ts';

const served = new Served();

interface Used {
  kind?: 'async' | 'real_time';
  model?: string;
  audioMs?: number;
  cost?: number | null;
}

/** A request that ended at this moment. */
async function use(
  ended: string,
  { kind = 'async', model = 'a-1', audioMs = 1000, cost = 100 }: Used = {},
  projectId = served.ada.projectId,
): Promise<void> {
  await writeUsage(served.db, [
    endedRow({ project_id: projectId, ended_at: new Date(ended), kind, model, audio_ms: audioMs, cost_micros: cost }),
  ]);
}

type Asked = Partial<OrganizationUsageRequest>;
const APRIL: Asked = { start_date: '2026-04-28', end_date: '2026-05-01' };
const report = async (
  what: 'cost' | 'activity',
  asked: object,
  { by = served.ada, base = projectOf(served.ada) } = {},
): Promise<Response> => served.server.call(by, 'POST', `${base}usage/${what}/`, asked);
type By = { by?: TestUser; base?: string };
const read = async <const S extends v.GenericSchema>(schema: S, ...[what, asked, of]: Parameters<typeof report>) => {
  const answer = await report(what, asked, of);
  expect(answer.status).toBe(200);
  return v.parse(schema, await answer.json());
};
const activity = (asked: Asked = APRIL, of?: By) => read(UsageActivity, 'activity', asked, of);
const cost = (asked: Asked = APRIL, of?: By) => read(UsageCost, 'cost', asked, of);

describe('usage over a period', () => {
  it('PRJ-04: nothing used: every step of the period, and nothing in them', async () => {
    const days = ['2026-04-28', '2026-04-29', '2026-04-30', '2026-05-01'].map((day) => `${day}T00:00:00.000Z`);
    const empty = { start_date: '2026-04-28', end_date: '2026-05-01', period: 'daily', buckets: days, series: [] };
    expect(await activity()).toEqual({ ...empty, totals: { requests: 0, audio_ms: 0 } });
    expect(await cost()).toEqual({ ...empty, currency: 'USD', totals: { cost_micros: 0 } });
  });

  it('PRJ-04: days of UTC, whole ones from the first to the last; days without anything are zero', async () => {
    await use('2026-04-27T23:59:59.999Z');
    await use('2026-04-28T00:00:00Z', { audioMs: 1, cost: 1 });
    await use('2026-04-28T23:59:59.999Z', { audioMs: 10, cost: 10 });
    await use('2026-04-30T12:00:00Z', { audioMs: 100, cost: 100 });
    await use('2026-05-01T23:59:59.999Z', { audioMs: 1000, cost: 1000 });
    await use('2026-05-02T00:00:00Z');
    expect(await activity()).toMatchObject({
      series: [{ service: 'async', model: 'a-1', requests: [2, 0, 1, 1], audio_ms: [11, 0, 100, 1000] }],
      totals: { requests: 4, audio_ms: 1111 },
    });
    expect(await cost()).toMatchObject({
      series: [{ service: 'async', model: 'a-1', cost_micros: [11, 0, 100, 1000] }],
      totals: { cost_micros: 1111 },
    });
  });

  it('PRJ-04: by the hour, and by the month over the end of a year', async () => {
    await use('2026-03-29T00:59:59.999Z');
    await use('2026-03-29T02:00:00Z');
    const hours = await activity({ start_date: '2026-03-29', end_date: '2026-03-29', period: 'hourly' });
    // A day of UTC has 24 hours, also where clocks are put forward.
    expect([hours.buckets.length, hours.buckets.at(-1)]).toEqual([24, '2026-03-29T23:00:00.000Z']);
    expect(hours.series[0]?.requests.slice(0, 4)).toEqual([1, 0, 1, 0]);

    await use('2026-12-31T23:59:59.999Z', { model: 'b' });
    await use('2027-01-01T00:00:00Z', { model: 'b' });
    const monthly = (end_date: string) =>
      activity({ start_date: '2026-11-15', end_date, period: 'monthly', models: ['b'] });
    const months = await monthly('2027-02-01');
    expect(months.buckets).toEqual(
      ['2026-11', '2026-12', '2027-01', '2027-02'].map((month) => `${month}-01T00:00:00.000Z`),
    );
    expect(months.series).toEqual([
      { service: 'async', model: 'b', requests: [0, 1, 1, 0], audio_ms: [0, 1000, 1000, 0] },
    ]);
    // The first month counts from the day that was asked for.
    await use('2026-11-14T23:59:59Z', { model: 'b' });
    await use('2026-11-15T00:00:00Z', { model: 'b' });
    expect((await monthly('2026-11-30')).series[0]?.requests).toEqual([1]);
  });

  it('PRJ-04: a series per service and model; only some of them where a filter says so', async () => {
    await use('2026-04-28T01:00:00Z', { model: 'a-1', cost: 1 });
    await use('2026-04-28T02:00:00Z', { model: 'a-2', cost: 10 });
    await use('2026-04-29T02:00:00Z', { kind: 'real_time', model: 'r-1', cost: 100 });
    const seriesOf = ({ series }: UsageCost) =>
      series.map((one) => [one.service, one.model, one.cost_micros.slice(0, 2)]);
    expect(seriesOf(await cost())).toEqual([
      ['async', 'a-1', [1, 0]],
      ['async', 'a-2', [10, 0]],
      ['real_time', 'r-1', [0, 100]],
    ]);
    expect(await cost({ ...APRIL, services: ['real_time'] })).toMatchObject({
      series: [{ model: 'r-1' }],
      totals: { cost_micros: 100 },
    });
    expect(await cost({ ...APRIL, models: ['a-2', 'r-1'] })).toMatchObject({
      series: [{ model: 'a-2' }, { model: 'r-1' }],
      totals: { cost_micros: 110 },
    });
    for (const filter of [
      { models: ['a-2'], services: ['real_time'] },
      { models: [], services: [] },
    ] as const)
      expect(await activity({ ...APRIL, models: [...filter.models], services: [...filter.services] })).toMatchObject({
        series: [],
        totals: { requests: 0 },
      });
  });

  it('PRJ-04: sums beyond what 32 bits hold', async () => {
    await use('2026-04-28T01:00:00Z', { audioMs: 5_000_000_000, cost: 6_000_000_000 });
    await use('2026-04-28T02:00:00Z', { audioMs: 5_000_000_000, cost: 6_000_000_000 });
    expect((await activity()).totals.audio_ms).toBe(10_000_000_000);
    expect((await cost()).totals.cost_micros).toBe(12_000_000_000);
  });

  it('PRJ-04: a request that had no price is activity and no cost', async () => {
    await use('2026-04-28T01:00:00Z', { cost: null, model: 'free' });
    expect(await activity()).toMatchObject({ series: [{ model: 'free' }], totals: { requests: 1 } });
    expect(await cost()).toMatchObject({ series: [], totals: { cost_micros: 0 } });
    await use('2026-04-28T01:00:00Z', { cost: 5 });
    expect(await cost()).toMatchObject({
      series: [{ model: 'a-1', cost_micros: [5, 0, 0, 0] }],
      totals: { cost_micros: 5 },
    });
  });

  it.each<[string, object, string]>([
    ['no period', {}, 'body.start_date'],
    ['a day that no month has', { start_date: '2026-02-30', end_date: '2026-03-01' }, 'body.start_date'],
    ['a moment', { start_date: '2026-04-28', end_date: '2026-04-28T00:00:00Z' }, 'body.end_date'],
    ['another era', { start_date: '0000-01-01', end_date: '2026-04-28' }, 'body.start_date'],
    ['a period that ends before it begins', { start_date: '2026-04-28', end_date: '2026-04-27' }, 'body.end_date'],
    ['more than a year of days', { start_date: '2026-01-01', end_date: '2027-01-02' }, 'body.end_date'],
    ['months of hours', { start_date: '2026-01-01', end_date: '2026-02-01', period: 'hourly' }, 'body.end_date'],
    ['sixty-one months', { start_date: '2026-01-01', end_date: '2031-01-06', period: 'monthly' }, 'body.end_date'],
    ['an unknown step', { ...APRIL, period: 'weekly' }, 'body.period'],
    ['an unknown service', { ...APRIL, services: ['batch'] }, 'body.services.0'],
  ])('PRJ-04: refuses %s', async (_what, asked, location) => {
    for (const base of [projectOf(served.ada), organizationOf(served.ada)])
      for (const what of ['cost', 'activity'] as const) {
        const answer = await report(what, asked, { base });
        expect(answer.status).toBe(400);
        const { validation_errors } = v.parse(ApiError, await answer.json());
        expect(validation_errors?.map((error) => error.location)).toContain(location);
      }
  });

  it('PRJ-04: as long as a period may be', async () => {
    const steps = async (asked: Asked) => (await activity(asked)).buckets.length;
    expect(await steps({ start_date: '2026-01-01', end_date: '2026-01-31', period: 'hourly' })).toBe(744);
    expect(await steps({ start_date: '2028-01-01', end_date: '2028-12-31' })).toBe(366);
    expect(await steps({ start_date: '2026-01-01', end_date: '2030-12-31', period: 'monthly' })).toBe(60);
  });
});

describe('whose usage it is', () => {
  it('PRJ-04 ORG-08: an organization sums its projects, a member those that they were added to', async () => {
    const second = await addProject(served.server, served.ada, 'Second');
    const bob = await colleague(served.server, served.ada, 'member');
    const carol = await colleague(served.server, served.ada, 'billing', { added: false });
    const stranger = await served.server.createUser();
    await use('2026-04-28T01:00:00Z', { cost: 1 });
    await use('2026-04-28T01:00:00Z', { cost: 10 }, second);
    await use('2026-04-28T01:00:00Z', { cost: 100 }, stranger.projectId);
    const base = organizationOf(served.ada);
    const totals = async (by: TestUser, more: Asked = {}) => [
      (await cost({ ...APRIL, ...more }, { by, base })).totals.cost_micros,
      (await activity({ ...APRIL, ...more }, { by, base })).totals.requests,
    ];
    expect([await totals(served.ada), await totals(carol), await totals(bob)]).toEqual([
      [11, 2],
      [11, 2],
      [1, 1],
    ]);
    expect(await totals(served.ada, { project_ids: [second] })).toEqual([10, 1]);
    // What one does not see is not counted when it is named.
    expect(await totals(bob, { project_ids: [second, stranger.projectId] })).toEqual([0, 0]);
    expect(await totals(served.ada, { project_ids: [stranger.projectId] })).toEqual([0, 0]);

    expect((await report('cost', { ...APRIL, project_ids: ['all'] }, { base })).status).toBe(400);
    expect((await cost(APRIL, { by: carol })).totals.cost_micros).toBe(1);
  });
});

describe('a server without prices', () => {
  it('PRJ-04 ORG-04: tells no cost, rather than none to pay', async () => {
    const free = await startTestServer({ env: { SPEECH_PRICES: 'none' } });
    try {
      const user = await free.createUser();
      const asked = v.parse(
        UsageCost,
        await (await free.call(user, 'POST', `${projectOf(user)}usage/cost/`, APRIL)).json(),
      );
      expect([asked.series, asked.totals]).toEqual([[], { cost_micros: null }]);
      const dashboard = await (await free.call(user, 'GET', `${organizationOf(user)}dashboard/`)).json();
      expect([dashboard.totals.cost_micros, dashboard.projects[0].cost_micros]).toEqual([null, null]);
    } finally {
      await free.close();
    }
  });
});
