/** How long the server takes to answer for what was used: reports, logs and metrics. */
import { monthAfter, monthOf } from '#server/money/usage/months.ts';
import type { TestUser } from '../test/server/harness.ts';
import { bearer, type SpeechServer } from '../test/server/speech-api/harness.ts';
import { atMost, quantile, type Row } from './row.ts';
import { scaled } from './settings.ts';
import { RARE, type Say } from './usage-fill.ts';

const BUDGET_MS = 100;
const TRIES = scaled(15);

export async function callAll(server: SpeechServer, user: TestUser, first: Date, say: Say): Promise<Row[]> {
  const day = (moment: Date): string => moment.toISOString().slice(0, 10);
  const now = new Date();
  const last = monthAfter(monthOf(now), -1);
  const month = { start_date: day(last), end_date: day(new Date(monthAfter(last).getTime() - 1)) };
  const year = { start_date: day(first), end_date: day(now) };
  const organization = `/api/v2/organizations/${user.organizationId}`;
  const project = `/api/v2/projects/${user.projectId}`;
  const query = (of: Record<string, string>): string => new URLSearchParams(of).toString();
  const calls: [string, string, string, unknown?][] = [
    ['dashboard', 'GET', `${organization}/dashboard/`],
    ['home of a project', 'GET', `${project}/home/`],
    ...(['cost', 'activity'] as const).flatMap((what): [string, string, string, unknown][] => [
      [`usage ${what}, month by day`, 'POST', `${organization}/usage/${what}/`, { ...month, period: 'daily' }],
      [`usage ${what}, month by hour`, 'POST', `${organization}/usage/${what}/`, { ...month, period: 'hourly' }],
      [`usage ${what}, year by day`, 'POST', `${organization}/usage/${what}/`, { ...year, period: 'daily' }],
      [`usage ${what}, year by month`, 'POST', `${organization}/usage/${what}/`, { ...year, period: 'monthly' }],
    ]),
    ['usage of a project, year by day', 'POST', `${project}/usage/activity/`, { ...year, period: 'daily' }],
    ['billing overview', 'GET', `${organization}/billing/overview/`],
    ['billing report, month by day', 'POST', `${organization}/billing/reports/`, { ...month, period: 'daily' }],
    ['billing report, month by hour', 'POST', `${organization}/billing/reports/`, { ...month, period: 'hourly' }],
    ['billing report, year by day', 'POST', `${organization}/billing/reports/`, { ...year, period: 'daily' }],
    ['cost table, year', 'POST', `${organization}/billing/cost/`, year],
    ['metrics, month by day', 'GET', `${project}/metrics/?${query({ ...month, period: 'daily' })}`],
    ['metrics, month by hour', 'GET', `${project}/metrics/?${query({ ...month, period: 'hourly' })}`],
    ['metrics, year by day', 'GET', `${project}/metrics/?${query({ ...year, period: 'daily' })}`],
    ['logs, first page', 'GET', `${project}/logs/`],
    [
      'logs, first page of a month',
      'GET',
      `${project}/logs/?${query({ from: last.toISOString(), to: monthAfter(last).toISOString() })}`,
    ],
    ['logs, a rare reference', 'GET', `${project}/logs/?reference=${RARE}`],
    ['logs, a rare error', 'GET', `${project}/logs/?error=rare_error`],
    ['logs, a reference that nobody has', 'GET', `${project}/logs/?reference=nobody`],
    ['logs, a model that nobody has', 'GET', `${project}/logs/?model=nothing`],
    ['logs, failures', 'GET', `${project}/logs/?status=failed`],
    [
      'logs, live tail',
      'GET',
      `${project}/logs/?${query({ from: new Date(now.getTime() - 3_600_000).toISOString() })}`,
    ],
    ['logs, next page', 'GET', `${project}/logs/?cursor=${await cursorOf(server, user, `${project}/logs/`)}`],
    [
      '/v1/usage-logs, first page of a month',
      'GET',
      `/v1/usage-logs?${query({ start_time: last.toISOString(), end_time: new Date(last.getTime() + 30 * 86_400_000).toISOString(), limit: '100' })}`,
    ],
  ];
  const rows: Row[] = [];
  for (const [name, method, path, body] of calls) {
    const times: number[] = [];
    for (let n = 0; n < TRIES; n += 1) {
      const from = performance.now();
      const answer = path.startsWith('/v1')
        ? await fetch(server.url + path, { headers: bearer(user) })
        : await server.call(user, method, path, body);
      const text = await answer.text();
      times.push(performance.now() - from);
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text.slice(0, 300)}`);
    }
    say(`${name}: ${quantile(times, 0.5).toFixed(1)} ms, at best ${Math.min(...times).toFixed(1)}`);
    rows.push(atMost(name, quantile(times, 0.5), 'ms', BUDGET_MS));
  }
  return rows;
}

async function cursorOf(server: SpeechServer, user: TestUser, path: string): Promise<string> {
  const { next_page_cursor } = await (await server.call(user, 'GET', path)).json();
  return encodeURIComponent(String(next_page_cursor));
}
