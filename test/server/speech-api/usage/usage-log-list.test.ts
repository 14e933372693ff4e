import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageLogPage, type UsageLog } from '#contract/usage-logs.ts';
import type { TestUser } from '../../harness.ts';
import { call, refusalOf, startSpeechServer, type SpeechServer } from '../harness.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import { ended as endedRow, writeUsage } from '../../usage.ts';

let server: SpeechServer;
let user: TestUser;
beforeAll(async () => {
  server = await startSpeechServer();
});
afterAll(() => server.close());
beforeEach(async () => {
  user = await server.createUser();
});

describe('GET /v1/usage-logs', () => {
  const DAY = '2026-04-28T';
  /** Requests that ended at these times; returns their ids. */
  const ended = async (times: string[], extra: Partial<UsageEnd> = {}): Promise<string[]> => {
    const ids = times.map(() => randomUUID());
    await writeUsage(
      server.services.db,
      times.map((time, n) =>
        endedRow({
          project_id: user.projectId,
          request_id: ids[n]!,
          origin: 'public_api',
          started_at: new Date(`${DAY}00:00:00Z`),
          ended_at: new Date(DAY + time),
          audio_ms: 1,
          ...extra,
        }),
      ),
    );
    return ids;
  };
  const WINDOW = { start_time: `${DAY}00:00:00Z`, end_time: '2026-04-29T00:00:00Z' };
  const ask = (query: Record<string, string>): Promise<Response> =>
    call(server, user, 'GET', `/usage-logs?${new URLSearchParams(query).toString()}`);
  const page = async (query: Record<string, string> = {}): Promise<UsageLogPage> => {
    const answer = await ask({ ...WINDOW, ...query });
    expect(answer.status).toBe(200);
    return v.parse(UsageLogPage, await answer.json());
  };
  const ids = ({ usage_logs }: UsageLogPage): string[] => usage_logs.map(({ uuid }) => uuid);

  it('one row with every field that clients of the public API read; costs are null without prices', async () => {
    const [uuid = ''] = await ended(['09:00:12Z'], {
      client_reference_id: 'ref',
      audio_ms: 12_000,
      output_tokens: 67,
    });
    const cost = {
      cost_usd: null,
      input_cost_usd: null,
      input_text_cost_usd: null,
      input_audio_cost_usd: null,
      output_cost_usd: null,
      output_text_cost_usd: null,
      output_audio_cost_usd: null,
    };
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
        ...cost,
      } satisfies UsageLog,
    ]);
  });

  it('PRJ-04: what a request cost as decimal text: all of it for the audio that came in', async () => {
    await ended(['09:00:00Z'], { cost_micros: 1_230_004 });
    const cost = '1.230004';
    expect((await page()).usage_logs[0]).toMatchObject({
      cost_usd: cost,
      input_cost_usd: cost,
      input_text_cost_usd: '0',
      input_audio_cost_usd: cost,
      output_cost_usd: '0',
      output_text_cost_usd: '0',
      output_audio_cost_usd: '0',
    });
  });

  it('the playground’s requests are told apart', async () => {
    await ended(['09:00:00Z'], { origin: 'playground' });
    expect((await page()).usage_logs[0]?.request_scope).toBe('playground');
  });

  it('by the end of the request: the start of the window is in it, its end is not', async () => {
    const all = await ended(['08:59:59.999Z', '09:00:00Z', '09:59:59.999Z', '10:00:00Z']);
    expect(ids(await page({ start_time: `${DAY}09:00:00Z`, end_time: `${DAY}10:00:00Z` }))).toEqual(all.slice(1, 3));
  });

  it('oldest first, or newest first', async () => {
    const [b = '', a = ''] = await ended(['09:00:02Z', '09:00:01Z']);
    expect(ids(await page())).toEqual([a, b]);
    expect(ids(await page({ sort: 'end_time_desc' }))).toEqual([b, a]);
  });

  it.each(['end_time_asc', 'end_time_desc'])(
    'pages in the order %s, also through one instant; null at the end',
    async (sort) => {
      const all = await ended(['09:00:00Z', '09:00:00Z', '09:00:00Z', '09:00:01Z', '09:00:02Z']);
      const seen: string[] = [];
      let cursor: string | null = '';
      let pages = 0;
      while (cursor !== null) {
        const next: UsageLogPage = await page({ sort, limit: '2', cursor });
        seen.push(...ids(next));
        cursor = next.next_page_cursor;
        pages += 1;
      }
      expect([pages, seen]).toEqual([3, sort === 'end_time_asc' ? all : all.toReversed()]);
    },
  );

  it('without `limit` a page has 1000, and an empty cursor is the first page', async () => {
    await ended(['09:00:00Z']);
    const start = Date.parse(`${DAY}09:00:00Z`);
    await writeUsage(
      server.services.db,
      Array.from({ length: 1000 }, (_, n) =>
        endedRow({ project_id: user.projectId, ended_at: new Date(start + (n + 1) * 1000) }),
      ),
    );
    const first = await page();
    expect([first.usage_logs.length, first.usage_logs[0]?.end_time, first.usage_logs.at(-1)?.end_time]).toEqual([
      1000,
      `${DAY}09:00:00.000Z`,
      `${DAY}09:16:39.000Z`,
    ]);
    expect(await page({ cursor: '' })).toEqual(first);
    expect(await page({ cursor: first.next_page_cursor ?? '' })).toMatchObject({
      usage_logs: [{ end_time: `${DAY}09:16:40.000Z` }],
      next_page_cursor: null,
    });
  });

  it('what used nothing is not listed: failures before any audio', async () => {
    await ended(['09:00:00Z'], { status: 'failed', audio_ms: 0, error_type: 'invalid_audio' });
    const [cut = ''] = await ended(['09:00:01Z'], { status: 'cancelled', audio_ms: 500 });
    expect(ids(await page())).toEqual([cut]);
  });

  it('the own project only', async () => {
    await ended(['09:00:00Z']);
    const stranger = await server.createUser();
    const answer = await call(server, stranger, 'GET', `/usage-logs?${new URLSearchParams(WINDOW).toString()}`);
    expect((await answer.json()).usage_logs).toEqual([]);
  });

  it.each([
    [{ start_time: '' }, 'start_time'],
    [{ end_time: 'yesterday' }, 'end_time'],
    [{ start_time: '2026-04-28T00:00:00+02' }, 'start_time'],
    [{ limit: '0' }, 'limit'],
    [{ limit: '1001' }, 'limit'],
    [{ sort: 'cost' }, 'sort'],
    [{ end_time: WINDOW.start_time }, 'end_time'],
    [{ end_time: '2026-05-29T00:00:01Z' }, 'end_time'],
  ])('refuses %j', async (change, field) => {
    const answer = await ask({ ...WINDOW, ...change });
    expect(answer.status).toBe(400);
    expect(await refusalOf(answer)).toMatchObject({
      error_type: 'invalid_request',
      validation_errors: [{ location: `query.${field}` }],
    });
  });

  it('wants both ends of the window', async () => {
    expect(
      (await refusalOf(await ask({}))).validation_errors.map(({ location, message }) => [location, message]),
    ).toEqual([
      ['query.start_time', 'Field required'],
      ['query.end_time', 'Field required'],
    ]);
  });

  it('takes a window of 31 days', async () => {
    expect((await ask({ ...WINDOW, end_time: '2026-05-29T00:00:00Z' })).status).toBe(200);
  });

  it.each(['x', Buffer.from('u1').toString('base64url'), Buffer.from('p5').toString('base64url')])(
    'refuses the cursor %s',
    async (cursor) => {
      expect(await refusalOf(await ask({ ...WINDOW, cursor }))).toMatchObject({
        status_code: 400,
        error_type: 'invalid_cursor',
      });
    },
  );
});
