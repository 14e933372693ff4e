import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { UsageLogPage, type UsageLog } from '#contract/usage-logs.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import type { TestUser } from '../../harness.ts';
import { ended as endedRow, writeUsage } from '../../usage.ts';
import { consoleClient, faultsOf, refusal } from '../client.ts';
import { startSpeechServer, type SpeechServer } from '../harness.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
});

const DAY = '2026-04-28T';
const WINDOW = { start_time: `${DAY}00:00:00Z`, end_time: '2026-04-29T00:00:00Z' };
/** Requests that ended at these times; returns their ids. */
const ended = async (times: string[], extra: Partial<UsageEnd> = {}): Promise<string[]> => {
  const started = {
    project_id: user.projectId,
    origin: 'public_api',
    started_at: new Date(WINDOW.start_time),
  } as const;
  const rows = times.map((time) =>
    endedRow({ ...started, request_id: randomUUID(), ended_at: new Date(DAY + time), audio_ms: 1, ...extra }),
  );
  await writeUsage(server.services.db, rows);
  return rows.map(({ request_id }) => request_id!);
};
const { call } = consoleClient(() => ({ server, user }));
const ask = (query: Record<string, string>): Promise<Response> =>
  call('GET', `/usage-logs?${new URLSearchParams(query).toString()}`);
const page = async (query: Record<string, string> = {}): Promise<UsageLogPage> => {
  const answer = await ask({ ...WINDOW, ...query });
  expect(answer.status).toBe(200);
  return v.parse(UsageLogPage, await answer.json());
};
const idsOf = ({ usage_logs }: UsageLogPage): string[] => usage_logs.map(({ uuid }) => uuid);

it('one row with every field that clients of the public API read; costs are null without prices', async () => {
  const [uuid = ''] = await ended(['09:00:12Z'], {
    client_reference_id: 'ref',
    audio_ms: 12_000,
    output_tokens: 67,
  });
  expect((await page()).usage_logs).toEqual([
    {
      uuid,
      request_scope: 'api',
      client_reference_id: 'ref',
      model: 'parlance-async-1',
      start_time: `${DAY}00:00:00.000Z`,
      end_time: `${DAY}09:00:12.000Z`,
      input_text_tokens: 0,
      input_audio_tokens: 0,
      input_audio_duration_ms: 12_000,
      output_text_tokens: 67,
      output_audio_tokens: 0,
      output_audio_duration_ms: 0,
      cost_usd: null,
      input_cost_usd: null,
      input_text_cost_usd: null,
      input_audio_cost_usd: null,
      output_cost_usd: null,
      output_text_cost_usd: null,
      output_audio_cost_usd: null,
    } satisfies UsageLog,
  ]);
});

it('PRJ-04: what a request cost as decimal text: all of it for the audio that came in; and that it was of the playground', async () => {
  await ended(['09:00:00Z'], { cost_micros: 1_230_004, origin: 'playground' });
  const cost = '1.230004';
  expect((await page()).usage_logs[0]).toMatchObject({
    request_scope: 'playground',
    cost_usd: cost,
    input_cost_usd: cost,
    input_text_cost_usd: '0',
    input_audio_cost_usd: cost,
    output_cost_usd: '0',
    output_text_cost_usd: '0',
    output_audio_cost_usd: '0',
  });
});

it('by the end of the request: the start of the window is in it, its end is not', async () => {
  const all = await ended(['08:59:59.999Z', '09:00:00Z', '09:59:59.999Z', '10:00:00Z']);
  expect(idsOf(await page({ start_time: `${DAY}09:00:00Z`, end_time: `${DAY}10:00:00Z` }))).toEqual(all.slice(1, 3));
});

it('oldest first unless asked otherwise', async () => {
  const [b, a] = await ended(['09:00:02Z', '09:00:01Z']);
  expect(idsOf(await page())).toEqual([a, b]);
});

it.each(['end_time_asc', 'end_time_desc'])(
  'pages in the order %s, also through one instant; null at the end',
  async (sort) => {
    const all = await ended(['09:00:00Z', '09:00:00Z', '09:00:00Z', '09:00:01Z', '09:00:02Z']);
    const seen: string[][] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const next: UsageLogPage = await page({ sort, limit: '2', cursor });
      seen.push(idsOf(next));
      cursor = next.next_page_cursor;
    }
    expect(seen).toHaveLength(3);
    expect(seen.flat()).toEqual(sort === 'end_time_asc' ? all : all.toReversed());
  },
);

it('what used nothing is not listed: failures before any audio; nor is another project', async () => {
  await ended(['09:00:00Z'], { status: 'failed', audio_ms: 0, error_type: 'invalid_audio' });
  const cut = await ended(['09:00:01Z'], { status: 'cancelled', audio_ms: 500 });
  expect(idsOf(await page())).toEqual(cut);
  user = await server.createUser();
  expect(idsOf(await page())).toEqual([]);
});

it.each([
  [{ start_time: '' }, 'start_time'],
  [{ end_time: 'yesterday' }, 'end_time'],
  [{ start_time: '2026-04-28T00:00:00+02' }, 'start_time'],
  [{ sort: 'cost' }, 'sort'],
  [{ end_time: WINDOW.start_time }, 'end_time'],
  [{ end_time: '2026-05-29T00:00:01Z' }, 'end_time'],
])('refuses %j', async (change, field) => {
  const answer = await ask({ ...WINDOW, ...change });
  expect(await faultsOf(answer.clone())).toEqual([expect.stringContaining(`query.${field}: `)]);
  expect((await refusal(answer)).slice(0, 2)).toEqual([400, 'invalid_request']);
});

it('wants both ends of the window, which has 31 days at most', async () => {
  expect(await faultsOf(await ask({}))).toEqual(['query.start_time: Field required', 'query.end_time: Field required']);
  expect((await ask({ ...WINDOW, end_time: '2026-05-29T00:00:00Z' })).status).toBe(200);
});

it.each(['x', 'u1', 'p5'])('refuses a cursor of %s', async (text) => {
  const cursor = text === 'x' ? text : Buffer.from(text).toString('base64url');
  expect((await refusal(await ask({ ...WINDOW, cursor }))).slice(0, 2)).toEqual([400, 'invalid_cursor']);
});
