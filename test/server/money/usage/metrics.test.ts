import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { Metrics } from '#contract/metrics.ts';
import { LIMIT_DEFAULTS } from '#server/money/limits/defaults.ts';
import { percentilesOf } from '#server/money/metrics/percentiles.ts';
import { LATENCY_BOUNDS_MS } from '#server/money/usage/rollup.ts';
import type { UsageEnd } from '#server/money/usage/rows.ts';
import { ended, writeUsage } from '../../usage.ts';
import { projectOf } from '../../people.ts';
import { Served } from '../served.ts';

const served = new Served();

const use = (...of: (Partial<UsageEnd> & { ended_at: Date })[]): Promise<void> =>
  writeUsage(
    served.db,
    of.map((end) => ended({ project_id: served.ada.projectId, ...end })),
  );
const ask = (query: Record<string, string>): Promise<Response> =>
  served.server.call(served.ada, 'GET', `${projectOf(served.ada)}metrics/?${new URLSearchParams(query).toString()}`);
async function metrics(query: Record<string, string> = {}): Promise<Metrics> {
  const answer = await ask({ start_date: '2026-04-28', end_date: '2026-04-30', ...query });
  expect(answer.status).toBe(200);
  return v.parse(Metrics, await answer.json());
}
const on = (moment: string): Date => new Date(`2026-04-${moment}Z`);

describe('how the requests of a project went', () => {
  it('PRJ-06: nothing ended: every step of the period, and nothing measured in them', async () => {
    const [none, unmeasured] = [[0, 0, 0], { queue: null, processing: null, first_word: null, finals: null }];
    expect(await metrics()).toMatchObject({
      start_date: '2026-04-28',
      end_date: '2026-04-30',
      period: 'daily',
      buckets: ['2026-04-28T00:00:00.000Z', '2026-04-29T00:00:00.000Z', '2026-04-30T00:00:00.000Z'],
      series: [],
      all: { requests: none, errors: none, cancelled: none, audio_ms: none, ...unmeasured },
      peak_streams: [0, 0, 0],
    });
  });

  it('PRJ-06: requests, failed and cancelled ones and audio, by day of UTC, of each model and together', async () => {
    await use(
      { ended_at: on('27T23:59:59.999') },
      { ended_at: on('28T00:00:00'), model: 'a', audio_ms: 10 },
      { ended_at: on('28T23:59:59.999'), model: 'a', audio_ms: 5, status: 'failed', error_type: 'timeout' },
      { ended_at: on('30T12:00:00'), model: 'a', audio_ms: 1, status: 'cancelled' },
      { ended_at: on('30T23:59:59.999'), model: 'b', kind: 'real_time', audio_ms: 100 },
      { ended_at: new Date('2026-05-01T00:00:00Z') },
    );
    const { series, all } = await metrics();
    const [a, b] = [
      { requests: [2, 0, 1], errors: [1, 0, 0], cancelled: [0, 0, 1], audio_ms: [15, 0, 1] },
      { requests: [0, 0, 1], errors: [0, 0, 0], cancelled: [0, 0, 0], audio_ms: [0, 0, 100] },
    ];
    expect(series).toMatchObject([
      { service: 'async', model: 'a', ...a },
      { service: 'real_time', model: 'b', ...b },
    ]);
    expect(all).toMatchObject({ requests: [2, 0, 2], errors: [1, 0, 0], cancelled: [0, 0, 1], audio_ms: [15, 0, 101] });
  });

  it('PRJ-06: by the hour', async () => {
    await use({ ended_at: on('28T00:59:59.999'), queue_ms: 100 }, { ended_at: on('28T02:00:00'), queue_ms: 200 });
    const { buckets, all } = await metrics({ end_date: '2026-04-28', period: 'hourly' });
    expect([buckets.length, buckets.at(-1)]).toEqual([24, '2026-04-28T23:00:00.000Z']);
    expect(all.requests.slice(0, 4)).toEqual([1, 0, 1, 0]);
    expect(all.queue?.p50.slice(0, 4)).toEqual([expect.any(Number), null, expect.any(Number), null]);
    expect(all.queue?.measured).toBe(2);
  });

  it('MTR-12: the latency is of completed requests only, exact of few, and never above the slowest', async () => {
    const times = Array.from({ length: 18 }, (_, n) => ({
      ended_at: on('28T12:00:00'),
      processing_ms: n < 17 ? 1000 + 100 * n : 10_562,
    }));
    const broken = [11, 17, 24].map((processing_ms) => ({
      ended_at: on('28T12:00:00'),
      processing_ms,
      status: 'failed' as const,
      error_type: 'invalid_audio',
    }));
    await use(...times, ...broken, { ended_at: on('30T12:00:00'), processing_ms: 5, status: 'cancelled' });
    expect((await metrics()).all.processing).toEqual({
      is_exact: true,
      p50: [1800, null, null],
      p90: [2600, null, null],
      p99: [10_562, null, null],
      measured: 18,
      // Too few to tell it.
      whole: { p50: 1800, p90: 2600, p99: null },
    });
  });

  it('MTR-12: of many requests it is an estimate, without those that did not complete', async () => {
    const many = (count: number, processing_ms: number, more: Partial<UsageEnd> = {}) =>
      Array.from({ length: count }, () => ({ ended_at: on('28T12:00:00'), processing_ms, ...more }));
    await use(...many(501, 3000), ...many(900, 10, { status: 'failed', error_type: 'invalid_audio' }));
    const { processing } = (await metrics()).all;
    expect(processing).toMatchObject({ is_exact: false, measured: 501 });
    for (const told of Object.values(processing?.whole ?? {})) {
      expect(told).toBeLessThan(3000 * 1.36);
      expect(told).toBeGreaterThan(3000 / 1.36);
    }
  });

  it('MTR-12: where rows were removed for their age, the rollups tell', async () => {
    await use({ ended_at: on('28T12:00:00'), processing_ms: 3000 });
    await served.db.deleteFrom('usage_rows').where('project_id', '=', served.ada.projectId).execute();
    expect((await metrics()).all.processing).toMatchObject({ is_exact: false, measured: 1 });
  });

  it('PRJ-06 MTR-10: latencies by step and over the period; null where none was measured, also for a whole latency', async () => {
    await use(
      ...Array.from({ length: 100 }, (_, n) => ({
        ended_at: on('28T12:00:00'),
        processing_ms: 1000 + n,
        queue_ms: null,
      })),
      { ended_at: on('30T12:00:00'), processing_ms: 60_000 },
      { ended_at: on('29T12:00:00'), kind: 'real_time' as const, model: 'live', first_word_ms: 300, finals_ms: 700 },
    );
    const { series, all } = await metrics();
    const [file, live] = series;
    expect(file).toMatchObject({ queue: null, first_word: null, finals: null });
    expect(file?.processing?.measured).toBe(101);
    const near = (ms: number) => expect.closeTo(ms, -Math.log10(ms * 0.6));
    expect(file?.processing).toMatchObject({
      p50: [near(1050), null, near(60_000)],
      p99: [near(1100), null, near(60_000)],
      whole: { p50: near(1050), p90: near(1090) },
    });
    expect(live).toMatchObject({ queue: null, processing: null, first_word: { measured: 1 }, finals: { measured: 1 } });
    expect(all).toMatchObject({ processing: file?.processing, first_word: live?.first_word, queue: null });
  });

  it('PRJ-06 MTR-10: percentiles of all models come of what was counted, not of their percentiles', async () => {
    const many = (model: string, count: number, processing_ms: number) =>
      Array.from({ length: count }, () => ({ ended_at: on('28T12:00:00'), model, processing_ms }));
    await use(...many('quick', 90, 100), ...many('slow', 10, 20_000));
    const { all } = await metrics();
    const [p50 = 0, p99 = 0] = [all.processing?.whole.p50, all.processing?.whole.p99].map(Number);
    expect(p50).toBeGreaterThan(80);
    expect(p50).toBeLessThan(135);
    expect(p99).toBeGreaterThan(15_000);
    expect(p99).toBeLessThan(27_000);
  });

  it('PRJ-06: the most streams at once: of an hour, and of a day the most of its hours', async () => {
    const peaks = { '27T23:00:00': 9, '28T00:00:00': 1, '28T09:00:00': 4, '28T10:00:00': 3, '30T23:00:00': 2 };
    await served.db
      .insertInto('stream_peaks')
      .values(
        Object.entries(peaks).map(([step, streams]) => ({ project_id: served.ada.projectId, step: on(step), streams })),
      )
      .execute();
    expect((await metrics()).peak_streams).toEqual([4, 0, 2]);
    const { peak_streams } = await metrics({ end_date: '2026-04-28', period: 'hourly' });
    expect(peak_streams.slice(8, 12)).toEqual([0, 4, 3, 0]);
  });

  it('PRJ-06 MTR-08: the limit of streams is what holds for the project now', async () => {
    const { stream_limit } = await metrics();
    expect(stream_limit).toBe(LIMIT_DEFAULTS.concurrent_streams);
    const set = await served.server.call(served.ada, 'PUT', `/api/v2/limits/projects/${served.ada.projectId}/`, {
      limits: { concurrent_streams: 3 },
    });
    expect(set.status).toBe(200);
    expect((await metrics()).stream_limit).toBe(3);
  });

  it.each([
    [{ start_date: '2026-02-30' }, 'query.start_date'],
    [{ end_date: '2026-04-27' }, 'query.end_date'],
    [{ period: 'monthly' }, 'query.period'],
    [{ start_date: '2026-03-01', period: 'hourly' }, 'query.end_date'],
  ])('PRJ-06: %j is refused', async (query, location) => {
    const answer = await ask({ start_date: '2026-04-28', end_date: '2026-04-30', ...query });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ validation_errors: [{ location }] });
  });
});

describe('MTR-10 percentiles out of classes', () => {
  /** Counts latencies as the database does. */
  const counted = (latencies: readonly number[]): number[] => {
    const counts = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
    for (const ms of latencies) {
      const place = LATENCY_BOUNDS_MS.filter((bound) => bound <= ms).length;
      counts[place] = (counts[place] ?? 0) + 1;
    }
    return counts;
  };

  it('of one are in its class', () => {
    for (const ms of [0, 5, 12, 17, 400, 59_000]) {
      const { p50, p99 } = percentilesOf(counted([ms]));
      for (const told of [p50, p99])
        expect(Math.abs((told ?? Infinity) - ms)).toBeLessThanOrEqual(Math.max(5, ms * 0.42));
    }
  });

  it('what is longer than the last bound is told by it', () => {
    const last = LATENCY_BOUNDS_MS.at(-1);
    expect(percentilesOf(counted([10_000_000]))).toEqual({ p50: last, p90: last, p99: last });
  });

  it('of many in one class are apart, and within it', () => {
    const { p50, p90, p99 } = percentilesOf(counted(Array.from({ length: 1000 }, (_, n) => 2750 + 0.9 * n)));
    for (const [told, truth] of [
      [p50, 3200],
      [p90, 3560],
      [p99, 3641],
    ] as const)
      expect(Math.abs((told ?? 0) - truth) / truth).toBeLessThan(0.05);
  });

  it('are within 5 per cent of the truth of many that are spread out, and never fall', () => {
    // A spread that has a long tail, the same in every run.
    let seed = 7;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };
    const latencies = Array.from({ length: 20_000 }, () =>
      Math.round(200 * Math.exp(1.2 * (random() + random() + random()))),
    );
    const sorted = latencies.toSorted((one, other) => one - other);
    const told = percentilesOf(counted(latencies));
    for (const [share, name] of [
      [0.5, 'p50'],
      [0.9, 'p90'],
      [0.99, 'p99'],
    ] as const) {
      const truth = sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
      expect(Math.abs((told[name] ?? 0) - truth) / truth).toBeLessThan(0.05);
    }
    expect(told.p50).toBeLessThanOrEqual(told.p90 ?? 0);
    expect(told.p90).toBeLessThanOrEqual(told.p99 ?? 0);
  });
});
