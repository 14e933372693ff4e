import { describe, expect, it, vi } from 'vitest';
import { fromPromise, waitFor } from 'xstate';
import type { Metrics } from '#contract/metrics.ts';
import { toCsv } from '#contract/csv.ts';
import type { UsageView } from '#machines/shared/route.ts';
import type { TextFile } from '#machines/workspace/metrics/actors.ts';
import {
  errorRates,
  isIdle,
  latenciesOf,
  latencyOf,
  measuredOf,
  totalsOf,
  overallPercentiles,
} from '#machines/workspace/metrics/figures.ts';
import { metricsMachine } from '#machines/workspace/metrics/machine.ts';
import { csvOf, fileOf, sheetInOrder, sheetOf } from '#machines/workspace/metrics/sheets.ts';
import type { FiguresOrder } from '#machines/workspace/usage/order.ts';
import { inFittingSteps, type Range } from '#machines/workspace/usage/range.ts';
import { busy, FILE_MODEL, idle, latencyOn2nd, LIVE_MODEL } from '../measured.ts';
import { underParent } from '../playground-fixtures.ts';

const place = { orgUuid: 'o1', projectUuid: 'p1' };
const STEPS = ['hourly', 'daily'] as const;

/** The chart in a parent that keeps what it is told; the answers are given one after the other, the last again and again. */
function started(view: UsageView, answers: readonly Metrics[] = [busy], mayFail = false) {
  const asked: Range[] = [];
  const saved: TextFile[] = [];
  const metrics = metricsMachine.provide({
    actors: {
      readToday: fromPromise(() => Promise.resolve('2026-04-15')),
      loadMetrics: fromPromise(({ input: { range } }) => {
        asked.push(range);
        return Promise.resolve(answers[Math.min(asked.length, answers.length) - 1] ?? idle);
      }),
      saveTextFile: fromPromise(({ input }) => {
        saved.push(input);
        return mayFail ? Promise.reject(new Error('no')) : Promise.resolve();
      }),
    },
  });
  const { child: actor, told } = underParent(metrics, { ...place, view });
  return { actor, told, asked, saved, settled: () => waitFor(actor, (snapshot) => !snapshot.hasTag('loading')) };
}

describe('PRJ-06: the chart of metrics', () => {
  it('MTR-01: puts chosen steps into the address, loads them once, and no more days than there can be', async () => {
    const { actor, asked, told, settled } = started({});
    await settled();
    actor.send({ type: 'period.chosen', period: 'hourly' });
    await settled();
    const to = {
      screen: 'metrics' as const,
      ...place,
      start_date: '2026-04-01',
      end_date: '2026-04-15',
      period: 'hourly',
    };
    expect(told).toEqual([{ type: 'navigate.requested', to }]);
    actor.send({ type: 'route.changed', route: to });
    await settled();
    expect(asked).toHaveLength(2);
    actor.send({ type: 'days.submitted', start_date: '2024-01-01', end_date: '2026-01-01' });
    expect(actor.getSnapshot().context.problem).toBe('The period must not exceed 366 days.');
    expect(asked).toHaveLength(2);
  });

  it('MTR-02: keeps the chosen model over another period, unless nothing is known of it there', async () => {
    const { actor, settled } = started({}, [busy, { ...busy, series: busy.series.slice(0, 1) }]);
    const choose = async (model: string) => {
      await settled();
      actor.send({ type: 'model.chosen', model });
      expect(actor.getSnapshot().context.model).toBe(model);
      actor.send({ type: 'preset.chosen', preset: 'last7Days' });
      return (await settled()).context.model;
    };
    expect([await choose(LIVE_MODEL), await choose(FILE_MODEL)]).toEqual([null, FILE_MODEL]);
  });

  it('MTR-05: saves a table of what is chosen, and says so where the browser refuses', async () => {
    const { actor, saved, settled, told } = started({}, [busy], true);
    await settled();
    actor.send({ type: 'model.chosen', model: LIVE_MODEL });
    actor.send({ type: 'download.requested', sheet: 'latency' });
    await vi.waitFor(() => expect(told).toHaveLength(1));
    expect(told).toEqual([{ type: 'toast.requested', kind: 'error', text: 'The browser refused to save the file.' }]);
    expect(saved.map(({ filename }) => filename)).toEqual([
      'metrics-latency-first_word-real_time-stt-rt-v5-2026-04-01-2026-04-02-daily.csv',
    ]);
  });

  it('UXP-96: each table has an order of its own, which stays over another period', async () => {
    const { actor, settled } = started({});
    await settled();
    actor.send({ type: 'column.chosen', sheet: 'models', column: 2 });
    actor.send({ type: 'column.chosen', sheet: 'models', column: 2 });
    actor.send({ type: 'preset.chosen', preset: 'last7Days' });
    const { orders } = (await settled()).context;
    expect(orders).toEqual({ models: { column: 2, direction: 'ascending' } });
    const inModels = (order: FiguresOrder) =>
      sheetInOrder(sheetOf('models', busy, { model: null, latency: 'queue' }), order).rows.map(
        ({ head: [, model], values: [requests] }) => [model, requests],
      );
    // Its second column is the latency.
    expect(inModels({ column: 1, direction: 'ascending' })[0]).toEqual(['stt-rt-v5', 6]);
    expect(inModels({ column: 2, direction: 'descending' })[0]).toEqual(['stt-async-v5', 8]);
    expect(inModels({ column: 2, direction: 'ascending' })[0]).toEqual(['stt-rt-v5', 6]);
    const { rows } = sheetInOrder(sheetOf('requests', busy, { model: null, latency: 'queue' }), {
      column: 1,
      direction: 'descending',
    });
    expect(rows.map(({ values: [completed] }) => completed)).toEqual([7, 3]);
  });

  it('MTR-05: keeps tables open over another period', async () => {
    const { actor, settled } = started({});
    await settled();
    actor.send({ type: 'table.toggled', sheet: 'audio', isOpen: true });
    actor.send({ type: 'table.toggled', sheet: 'latency', isOpen: true });
    actor.send({ type: 'table.toggled', sheet: 'audio', isOpen: false });
    actor.send({ type: 'table.toggled', sheet: 'latency', isOpen: true });
    actor.send({ type: 'preset.chosen', preset: 'last7Days' });
    expect((await settled()).context.opened).toEqual(['latency']);
  });
});

describe('PRJ-06: figures of a period', () => {
  it('MTR-02: are of all models or of one', () => {
    expect(totalsOf(measuredOf(busy, null))).toEqual({
      requests: 14,
      completed: 10,
      errors: 2,
      cancelled: 2,
      refused: 0,
      audioMs: 105_000,
      errorRate: 200 / 14,
    });
    expect(totalsOf(measuredOf(busy, FILE_MODEL))).toMatchObject({ requests: 8, completed: 5, errorRate: 12.5 });
  });

  it('MTR-03: have no error rate where nothing was requested, and no latency where none was measured', () => {
    expect(errorRates(measuredOf(busy, FILE_MODEL))).toEqual([null, 12.5]);
    expect(totalsOf(idle.all).errorRate).toBeNull();
    expect(overallPercentiles(busy.all, 'finals')).toEqual({ p50: null, p90: null, p99: null });
    expect(overallPercentiles(busy.all, 'queue')).toEqual({ p50: 40, p90: 80, p99: 120 });
  });

  it('MTR-11: refused requests count among the requests and in the error rate', () => {
    const refusing = { ...busy.all, refused: [6, 0] };
    expect(totalsOf(refusing)).toMatchObject({ requests: 20, completed: 10, errors: 2, refused: 6, errorRate: 40 });
    expect(errorRates(refusing)).toEqual([70, 10]);
    expect(sheetOf('errors', { ...busy, all: refusing }, { model: null, latency: 'queue' }).rows[0]?.values).toEqual([
      10, 1, 6, 70,
    ]);
    expect(isIdle({ ...idle, all: { ...idle.all, refused: [0, 1] } })).toBe(false);
    // The rows of models add up to all: what was refused without a model that is shown has a row of its own.
    const [file, live] = busy.series.map((series) => ({ ...series, refused: [0, 2] }));
    const named = { ...busy, series: [file!, live!], all: refusing };
    const { rows, whole } = sheetOf('models', named, { model: null, latency: 'queue' });
    expect(rows.at(-1)).toEqual({
      head: ['', 'Unknown model', ''],
      values: [2, 0, 2, 0, 100, 0, null, null, null],
    });
    for (const column of [0, 1, 2, 3])
      expect(rows.reduce((sum, { values }) => sum + (values[column] ?? NaN), 0)).toBe(whole[column]);
  });

  it('MTR-03: a stream that still runs is something to show', () => {
    expect([isIdle(idle), isIdle({ ...idle, peak_streams: [0, 1] }), isIdle(busy)]).toEqual([true, false, false]);
  });

  it('MTR-04: the latency is the chosen one where the model has it, else what its clients wait for', () => {
    expect(latenciesOf(busy, FILE_MODEL)).toEqual(['processing', 'queue']);
    expect(latenciesOf(busy, null)).toEqual(['first_word', 'finals', 'processing', 'queue']);
    expect([
      latencyOf(busy, FILE_MODEL, 'finals'),
      latencyOf(busy, LIVE_MODEL, 'queue'),
      latencyOf(busy, LIVE_MODEL, 'finals'),
      latencyOf(busy, null, 'queue'),
    ]).toEqual(['processing', 'first_word', 'finals', 'queue']);
    // Of all models: what most requests have.
    const mostlyLive = { ...busy, all: { ...busy.all, first_word: latencyOn2nd(500, 9) } };
    expect([latencyOf(busy, null, null), latencyOf(mostlyLive, null, null)]).toEqual(['processing', 'first_word']);
  });

  it('periods of more days than fit are refused in the longest steps there are', () => {
    const days = { start_date: '2024-01-01', end_date: '2026-01-01' };
    expect(inFittingSteps(days, 'hourly', STEPS).period).toBe('daily');
    expect(inFittingSteps({ ...days, start_date: '2025-12-01' }, 'hourly', STEPS).period).toBe('daily');
    expect(inFittingSteps({ ...days, start_date: '2025-12-02' }, 'hourly', STEPS).period).toBe('hourly');
  });
});

describe('PRJ-06: tables', () => {
  const choice = { model: null, latency: 'processing' as const };

  it('MTR-05: every chart has a row for each step, and what is not known is not nought', () => {
    expect(sheetOf('requests', busy, choice)).toMatchObject({
      rows: [
        { head: ['2026-04-01T00:00:00.000Z'], values: [3, 1, 0, 0, 4] },
        { head: ['2026-04-02T00:00:00.000Z'], values: [7, 1, 0, 2, 10] },
      ],
      whole: [10, 2, 0, 2, 14],
    });
    expect(sheetOf('latency', busy, choice)).toMatchObject({
      rows: [{ values: [null, null, null] }, { values: [800, 1600, 2400] }],
      whole: [800, 1600, 2400],
    });
    expect(sheetOf('streams', busy, choice)).toMatchObject({ rows: [{ values: [2] }, { values: [3] }], whole: [3] });
    expect(sheetOf('errors', busy, choice).rows[0]?.values).toEqual([4, 1, 0, 25]);
    expect(sheetOf('audio', busy, { ...choice, model: FILE_MODEL })).toMatchObject({
      rows: [{ values: [0] }, { values: [60_000] }],
      whole: [60_000],
    });
    // A latency that nothing has leaves its columns empty, one for each.
    expect(sheetOf('latency', busy, { ...choice, latency: 'finals' })).toMatchObject({
      columns: [{ name: 'p50' }, { name: 'p90' }, { name: 'p99' }],
      rows: [{ values: [null, null, null] }, { values: [null, null, null] }],
      whole: [null, null, null],
    });
  });

  it('MTR-05: as CSV they have plain numbers, no finer than they are read, units in the names of columns, and empty cells for what is not known', () => {
    expect(csvOf(sheetOf('latency', busy, choice))).toBe(
      'Start (UTC),p50 (ms),p90 (ms),p99 (ms)\r\n2026-04-01T00:00:00.000Z,,,\r\n2026-04-02T00:00:00.000Z,800,1600,2400\r\n',
    );
    expect(csvOf(sheetOf('models', busy, choice))).toBe(
      'Service,Model,Latency,Requests,Failed,Refused,Cancelled,Error rate (%),Audio (minutes),p50 (ms),p90 (ms),p99 (ms)\r\n' +
        'Async,stt-async-v5,Processing,8,1,0,2,12.5,1,800,1600,2400\r\n' +
        'Live,stt-rt-v5,First word,6,1,0,0,16.67,0.75,500,1000,1500\r\n',
    );
  });

  it('MTR-05: the name of a file tells what is in it, and is one on every system', () => {
    const odd = { ...busy, series: [{ ...busy.all, service: 'async' as const, model: '../a:b' }] };
    expect(fileOf('audio', odd, { ...choice, model: 'async ../a:b' }).filename).toBe(
      'metrics-audio-async-..-a-b-2026-04-01-2026-04-02-daily.csv',
    );
    // Streams are those of the project, whichever model is chosen.
    expect(fileOf('streams', busy, { ...choice, model: FILE_MODEL }).filename).toBe(
      'metrics-streams-2026-04-01-2026-04-02-daily.csv',
    );
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', ' =1', '\u00A0\u200B+1', '\uFEFF -1', '\u0000\u3000＝1'])(
    'MTR-06: %j in a cell of CSV is no formula',
    (text) => {
      expect(
        toCsv([[text]])
          .replace(/^"/, '')
          .startsWith(`'${text.charAt(0)}`),
      ).toBe(true);
    },
  );

  it('MTR-06: cells with commas, quotation marks and line ends are quoted; numbers below nought stay numbers', () => {
    expect(toCsv([['a,b', 'say "so"', 'two\nlines', -1, 0, null]])).toBe('"a,b","say ""so""","two\nlines",-1,0,\r\n');
  });
});
