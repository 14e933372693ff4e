/** Logs whose filters are looked up by the days that have matches: what they show is what a look at every row would. */
import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { LogPage } from '#contract/logs.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import { startTestServer, type TestServer, type TestUser } from '../../harness.ts';
import { ended, writeUsage } from '../../usage.ts';
import { drawUsage } from './drawn-usage.ts';
import { projectOf } from '../../people.ts';
import { everyPage } from './usage.ts';

const [KEY, OTHER_KEY] = [randomUUID(), randomUUID()];
/** What one row alone has all of. */
const ALL = {
  kind: 'real_time',
  status: 'failed',
  model: 'live',
  key: KEY,
  reference: 'call-7',
  error: 'timeout',
  from: '2032-05-09T10:00:00.000Z',
  to: '2032-05-09T10:00:00.001Z',
} as const;
let server: TestServer;
let ada: TestUser;
let rows: UsageEnd[];
beforeAll(async () => {
  server = await startTestServer();
  ada = await server.createUser();
  rows = drawUsage([ada.projectId, (await server.createUser()).projectId], [KEY, OTHER_KEY]);
  // One day that has many of what is rare elsewhere.
  for (let n = 0; n < 12; n += 1)
    rows.push(
      ended({
        project_id: ada.projectId,
        ended_at: new Date(`2032-05-07T${String(n * 2).padStart(2, '0')}:30:00Z`),
        model: 'rare',
        status: 'failed',
        error_type: 'rare',
      }),
    );
  const { kind, status, model, key, reference, error, from } = ALL;
  const all = { kind, status, model, api_key_id: key, client_reference_id: reference, error_type: error };
  rows.push(ended({ ...all, project_id: ada.projectId, ended_at: new Date(from) }));
  for (let n = 0; n < rows.length; n += 40) await writeUsage(server.services.db, rows.slice(n, n + 40));
});
afterAll(() => server.close());

async function walk(filter: Record<string, string>): Promise<string[]> {
  const pages = await everyPage(async (cursor) => {
    const query = new URLSearchParams({ ...filter, limit: '5', cursor }).toString();
    const answer = await server.call(ada, 'GET', `${projectOf(ada)}logs/?${query}`);
    return v.parse(LogPage, await answer.json());
  });
  return pages.flatMap(({ logs }) => logs.map(({ id }) => id));
}

const expected = ({ kind, status, model, key, reference, error, from, to }: Record<string, string>): string[] =>
  rows
    .filter(
      (row) =>
        row.project_id === ada.projectId &&
        (kind === undefined || row.kind === kind) &&
        (status === undefined || row.status === status) &&
        (model === undefined || row.model === model) &&
        (key === undefined || row.api_key_id === key) &&
        (reference === undefined || row.client_reference_id === reference) &&
        (error === undefined || row.error_type === error) &&
        (from === undefined || row.ended_at >= new Date(from)) &&
        (to === undefined || row.ended_at < new Date(to)),
    )
    .toSorted((a, b) => Number(b.ended_at) - Number(a.ended_at))
    .map(({ id }) => id);

it.each([
  { kind: 'real_time' },
  { status: 'failed' },
  { model: 'rare' },
  { model: 'nobody has it' },
  { key: KEY, status: 'cancelled' },
  { error: 'rare', to: '2032-05-07T12:00:00.000Z' },
  { error: 'rare', from: '2032-05-07T12:00:00.000Z' },
  // Days of which a part is asked for, with matches in the other part alone.
  { model: 'rare', from: '2032-05-07T23:00:00.000Z' },
  { model: 'rare', from: '2032-05-01T00:00:00.000Z', to: '2032-05-07T00:30:00.000Z' },
  { kind: 'async', status: 'completed', from: '2032-04-30T23:59:59.999Z', to: '2032-05-01T00:00:00.001Z' },
  { kind: 'async', from: '2032-04-10T05:45:00.000Z', to: '2032-05-20T18:15:00.000Z' },
  { key: KEY },
  { reference: 'customer' },
  // The whole of it, not a part.
  { reference: 'custom' },
  { error: 'invalid_audio' },
  { ...ALL, kind: 'async' },
  ALL,
  { reference: 'customer', kind: 'real_time' },
] as Record<string, string>[])(
  'PRJ-05 LOG-01: %j: page by page, each row that matches, and no other',
  async (filter) => {
    expect(await walk(filter)).toEqual(expected(filter));
  },
);
