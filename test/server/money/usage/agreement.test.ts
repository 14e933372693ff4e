/**
 * One period, told by everything that tells of use: rows, rollups and ledger, dashboard, usage, homes, logs, metrics and billing agree to
 * the micro-unit, whatever the time zones of the server and of its database. What is downloaded is what is shown: see `log-export.test.ts`
 * and `billing-reports.test.ts`.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from 'kysely';
import * as v from 'valibot';
import { UsageLogPage } from '#contract/usage-logs.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import { bearer, startSpeechServer, type SpeechServer } from '../../speech-api/harness.ts';
import type { TestUser } from '../../harness.ts';
import { organizationOf, projectOf } from '../../people.ts';
import { writeUsage } from '../../usage.ts';
import { drawUsage } from './drawn-usage.ts';
import { everyPage, expectRight } from './usage.ts';

const NOW = '2032-05-31T23:59:59.999Z';
const MAY = { start_date: '2032-05-01', end_date: '2032-05-31' };
const BOTH = { start_date: '2032-04-01', end_date: '2032-05-31' };
let server: SpeechServer;
let ada: TestUser;
let requests: UsageEnd[];
let projects: { renamed: string; quiet: string; deleted: string };
let told: Awaited<ReturnType<typeof tellAll>>;

beforeAll(async () => {
  server = await startSpeechServer({ server: { overrides: { clock: () => new Date(NOW) } } });
  ada = await server.createUser();
  const make = async (name: string): Promise<string> => {
    const answer = await server.call(ada, 'POST', organization('projects/'), { name, description: '' });
    return (await answer.json()).project.uuid;
  };
  projects = { renamed: await make('Before'), quiet: ada.projectId, deleted: await make('Gone') };
  requests = drawUsage(Object.values(projects), [randomUUID(), randomUUID()]);
  for (let n = 0; n < requests.length; n += 40) await writeUsage(server.services.db, requests.slice(n, n + 40));
  await server.call(ada, 'PUT', project(projects.renamed, ''), { name: 'After', description: '' });
  await server.call(ada, 'DELETE', project(projects.deleted, ''));
  told = await tellAll();
});
afterAll(() => server.close());

type Costs = { cost_micros: number[] };
type Figures = { requests: number; audio_ms: number; cost_micros: number };
const sumOf = (of: readonly UsageEnd[]): Figures => ({
  requests: of.length,
  audio_ms: of.reduce((sum, { audio_ms }) => sum + audio_ms, 0),
  cost_micros: of.reduce((sum, { cost_micros }) => sum + (cost_micros ?? 0), 0),
});
/** What was drawn for some days, and projects if some are named. */
const drawn = ({ start_date, end_date }: typeof MAY, ...ids: string[]): UsageEnd[] =>
  requests.filter(({ project_id, ended_at }) => {
    const day = new Date(ended_at).toISOString().slice(0, 10);
    return day >= start_date && day <= end_date && (ids.length === 0 || ids.includes(project_id));
  });
const truth = (days: typeof MAY, ...ids: string[]): Figures => sumOf(drawn(days, ...ids));
const add = (numbers: readonly number[]): number => numbers.reduce((sum, value) => sum + value, 0);

// oxlint-disable-next-line typescript/no-explicit-any -- each shape is checked by the calls' own tests
async function read(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await server.call(ada, method, path, body);
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.json();
}
const organization = (path: string): string => organizationOf(ada) + path;
const project = (id: string, path: string): string => projectOf({ ...ada, projectId: id }) + path;
const alive = (): string[] => [projects.renamed, projects.quiet];

/** Everything that is told of a period, in one object. */
async function tellAll() {
  const usage = async (scope: (path: string) => string, period: string, days: typeof MAY) => {
    const cost = await read('POST', scope('usage/cost/'), { ...days, period });
    const activity = await read('POST', scope('usage/activity/'), { ...days, period });
    return { cost, activity };
  };
  return {
    dashboard: await read('GET', organization('dashboard/')),
    homes: await Promise.all(alive().map(async (id) => (await read('GET', project(id, 'home/'))).totals)),
    hourly: await usage(organization, 'hourly', MAY),
    daily: await usage(organization, 'daily', BOTH),
    monthly: await usage(organization, 'monthly', BOTH),
    own: await usage((path) => project(projects.renamed, path), 'daily', BOTH),
    overview: await read('GET', `${organization('billing/overview/')}?start_date=2032-05-01&end_date=2032-05-31`),
    report: await read('POST', organization('billing/reports/'), { ...BOTH, period: 'daily' }),
    table: await read('POST', organization('billing/cost/'), BOTH),
    metrics: await Promise.all(
      alive().map((id) => read('GET', project(id, 'metrics/?start_date=2032-04-01&end_date=2032-05-31&period=daily'))),
    ),
  };
}

const WINDOW = 'from=2032-04-01T00:00:00.000Z&to=2032-06-01T00:00:00.000Z';

describe('figures of one period', () => {
  it('MET-08 ORG-04: are the same on the dashboard, in the homes of projects and in usage', async () => {
    const { dashboard, homes, hourly, daily, monthly, own } = told;
    expect(dashboard.totals).toEqual(truth(MAY));
    for (const { uuid, name, ...figures } of [...dashboard.projects, ...dashboard.deleted_projects])
      expect([name, figures]).toEqual([name, { ...truth(MAY, uuid), last_used_at: expect.any(String) }]);
    expect(dashboard.projects.map(({ name }: { name: string }) => name)).toContain('After');
    expect(dashboard.deleted_projects.map(({ name }: { name: string }) => name)).toEqual(['Gone']);
    expect(homes).toEqual(alive().map((id) => truth(MAY, id)));
    for (const [usage, days, ids] of [
      [hourly, MAY, []],
      [daily, BOTH, []],
      [monthly, BOTH, []],
      [own, BOTH, [projects.renamed]],
    ] as const) {
      const { requests: count, audio_ms, cost_micros } = truth(days, ...ids);
      expect(usage.activity.totals).toEqual({ requests: count, audio_ms });
      expect(usage.cost.totals).toEqual({ cost_micros });
      expect(add(usage.cost.series.flatMap((series: Costs) => series.cost_micros))).toBe(cost_micros);
    }
    // And each step by itself.
    for (const [step, start] of daily.cost.buckets.entries()) {
      const day = start.slice(0, 10);
      const cost = add(daily.cost.series.map((series: Costs) => series.cost_micros[step] ?? 0));
      expect([day, cost]).toEqual([day, truth({ start_date: day, end_date: day }).cost_micros]);
    }
  });

  it('MET-08 PRJ-04: are the same in the logs, page by page, in the usage logs and in the metrics', async () => {
    for (const [place, id] of alive().entries()) {
      const pages = await everyPage((cursor) =>
        read('GET', project(id, `logs/?${WINDOW}&limit=40&cursor=${encodeURIComponent(cursor)}`)),
      );
      const entries: UsageEnd[] = pages.flatMap(({ logs }) => logs);
      const expected = truth(BOTH, id);
      expect(sumOf(entries)).toEqual(expected);
      expect(new Set(entries.map((entry) => entry.id)).size).toBe(expected.requests);

      expect(add(await usageLogs(id, '2032-04-01', '2032-05-01'))).toBe(
        truth({ start_date: '2032-04-01', end_date: '2032-04-30' }, id).cost_micros,
      );
      expect(add(await usageLogs(id, '2032-05-01', '2032-06-01'))).toBe(truth(MAY, id).cost_micros);

      const { all } = told.metrics[place];
      expect([add(all.requests), add(all.audio_ms)]).toEqual([expected.requests, expected.audio_ms]);
      expect(add(all.errors)).toBe(drawn(BOTH, id).filter(({ status }) => status === 'failed').length);
    }
  });

  it('MET-08 BIL-02 BIL-03: are the same in billing and its tables', async () => {
    const { overview, report, table } = told;
    expect(overview.cost_micros).toBe(truth(MAY).cost_micros);
    expect([report.totals, table.totals]).toEqual([truth(BOTH), truth(BOTH)]);
    for (const series of report.series) {
      const { requests: counts, audio_ms, cost_micros } = series;
      expect([
        series.project_name,
        { requests: add(counts), audio_ms: add(audio_ms), cost_micros: add(cost_micros) },
      ]).toEqual([series.project_name, truth(BOTH, series.project_uuid)]);
    }
    expect(report.series.map(({ project_name }: { project_name: string }) => project_name)).toEqual(
      expect.arrayContaining(['After', 'Gone']),
    );
  });

  it('MET-08 LED-02: are those of the rows, of both rollups and of the ledger', async () => {
    const { db } = server.services;
    await expectRight(db);
    const { micros } = await db
      .selectFrom('usage_days')
      .select(({ fn }) => fn.sum('cost_micros').as('micros'))
      .where('organization_id', '=', ada.organizationId)
      .executeTakeFirstOrThrow();
    expect(Number(micros)).toBe(truth(BOTH).cost_micros);
  });

  it('MET-08: do not change with the time zone of the server, nor with that of its database', async () => {
    const before = process.env['TZ'];
    try {
      for (const zone of ['Asia/Kathmandu', 'America/New_York', 'Pacific/Kiritimati']) {
        process.env['TZ'] = zone;
        await inZone(zone);
        expect(new Date(NOW).getTimezoneOffset()).not.toBe(0);
        expect({ zone, ...(await tellAll()) }).toEqual({ zone, ...told });
      }
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
      await inZone('UTC');
    }
  });
});

/** Of every connection that the server has. */
async function inZone(zone: string): Promise<void> {
  await Promise.all(
    Array.from({ length: 10 }, () =>
      sql`select set_config('TimeZone', ${zone}, false), pg_sleep(0.05)`.execute(server.services.db),
    ),
  );
}

/** The cost of each usage log of a project that ended from one day on and before another, micro-USD. */
async function usageLogs(id: string, from: string, to: string): Promise<number[]> {
  const window = { start_time: `${from}T00:00:00Z`, end_time: `${to}T00:00:00Z`, limit: '50' };
  const pages = await everyPage(async (cursor) => {
    const query = new URLSearchParams({ ...window, cursor });
    const answer = await fetch(`${server.url}/v1/usage-logs?${query}`, { headers: bearer(ada, id) });
    return v.parse(UsageLogPage, await answer.json());
  });
  return pages.flatMap(({ usage_logs }) => usage_logs.map(({ cost_usd }) => Math.round(Number(cost_usd ?? 0) * 1e6)));
}
