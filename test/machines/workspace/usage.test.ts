import { describe, expect, it } from 'vitest';
import { fromPromise, waitFor } from 'xstate';
import type { UsageActivity } from '#contract/usage.ts';
import type { Usage } from '#machines/workspace/usage/actors.ts';
import { usageMachine } from '#machines/workspace/usage/machine.ts';
import { AS_SENT, figuresInOrder, figuresOrdered } from '#machines/workspace/usage/order.ts';
import { inFittingSteps, presetOf, presetRange, rangeOf, viewOf, type Range } from '#machines/workspace/usage/range.ts';
import { underParent } from '../playground-fixtures.ts';

const figures: UsageActivity = {
  start_date: '',
  end_date: '',
  period: 'daily',
  buckets: [],
  series: [],
  totals: { requests: 0, audio_ms: 0 },
};

it('PRJ-04: more days than there can be are refused, and more than fit into daily steps show by the month', async () => {
  const asked: Range[] = [];
  const { child: usage } = underParent(
    usageMachine.provide({
      actors: {
        readToday: fromPromise(async () => '2026-03-15'),
        loadUsage: fromPromise(async ({ input }): Promise<Usage> => {
          asked.push(input.range);
          return { chart: 'activity', figures };
        }),
      },
    }),
    { scope: { orgUuid: 'o1', projectUuid: 'p1' }, chart: 'activity', view: {} },
  );
  const settled = () => waitFor(usage, (snapshot) => snapshot.hasTag('empty'));
  await settled();
  usage.send({ type: 'days.submitted', start_date: '2020-01-01', end_date: '2026-03-01' });
  expect(usage.getSnapshot().context.problem).toMatch(/must not exceed/);
  const years = { start_date: '2024-01-01', end_date: '2026-03-01' };
  usage.send({ type: 'days.submitted', ...years });
  expect((await settled()).context.problem).toBeNull();
  expect(asked.slice(1)).toEqual([{ ...years, period: 'monthly' }]);
});

it('CON-33: days that are typed go with other steps, unless they are wrong', async () => {
  const { child: usage } = underParent(
    usageMachine.provide({
      actors: {
        readToday: fromPromise(async () => '2026-03-15'),
        loadUsage: fromPromise(async (): Promise<Usage> => ({ chart: 'activity', figures })),
      },
    }),
    { scope: { orgUuid: 'o1', projectUuid: 'p1' }, chart: 'activity', view: {} },
  );
  const settled = () => waitFor(usage, (snapshot) => snapshot.hasTag('empty'));
  await settled();
  const days = { start_date: '2026-03-02', end_date: '2026-03-01' };
  usage.send({ type: 'days.edited', ...days });
  usage.send({ type: 'period.chosen', period: 'hourly' });
  const { range, typed } = (await settled()).context;
  expect([range, typed]).toEqual([{ start_date: '2026-03-01', end_date: '2026-03-15', period: 'hourly' }, days]);
  usage.send({ type: 'days.edited', ...days, end_date: '2026-03-03' });
  usage.send({ type: 'period.chosen', period: 'daily' });
  expect((await settled()).context).toMatchObject({
    range: { start_date: '2026-03-02', end_date: '2026-03-03', period: 'daily' },
    typed: null,
  });
});

describe('UXP-96: a table of figures', () => {
  const rows = [
    { name: 'a', value: 2 },
    { name: 'b', value: null },
    { name: 'c', value: 10 },
    { name: 'd', value: 2 },
  ];
  const shown = (...columns: number[]) =>
    figuresInOrder(rows, columns.reduce(figuresOrdered, AS_SENT), ({ value }) => value)
      .map(({ name }) => name)
      .join('');

  it('is as it was sent, or sorted by a column from the highest, and the other way round; rows without a value last', () => {
    expect([shown(), shown(0), shown(1), shown(1, 1), shown(1, 0)]).toEqual(['abcd', 'dcba', 'cadb', 'adcb', 'abcd']);
  });
});

describe('PRJ-04: periods', () => {
  it('presets end with today or with the last month, also over the end of a year and of February', () => {
    const of = (today: string) =>
      (['thisMonth', 'lastMonth', 'last7Days', 'last30Days'] as const)
        .map((preset) => presetRange(preset, today))
        .map(({ start_date, end_date }) => `${start_date} ${end_date}`);
    expect(of('2026-01-01')).toEqual([
      '2026-01-01 2026-01-01',
      '2025-12-01 2025-12-31',
      '2025-12-26 2026-01-01',
      '2025-12-03 2026-01-01',
    ]);
    expect(of('2028-03-01')).toEqual([
      '2028-03-01 2028-03-01',
      '2028-02-01 2028-02-29',
      '2028-02-24 2028-03-01',
      '2028-02-01 2028-03-01',
    ]);
  });

  it('an address may leave out what is usual', () => {
    expect(rangeOf({ start_date: '2026-03-10' }, '2026-03-15')).toEqual({
      start_date: '2026-03-10',
      end_date: '2026-03-15',
      period: 'daily',
    });
    expect(rangeOf({ period: 'hourly' }, '2026-03-15')).toEqual({
      start_date: '2026-03-01',
      end_date: '2026-03-15',
      period: 'hourly',
    });
    for (const view of [
      { period: 'weekly' },
      { start_date: '2026-03-16' },
      { end_date: 'today' },
      { start_date: '2025-01-01' },
      { start_date: '2026-01-01', end_date: '2026-03-01', period: 'hourly' },
    ])
      expect(rangeOf(view, '2026-03-15')).toBeNull();
  });

  it('a period is what its preset is, in whatever steps', () => {
    expect(presetOf({ ...presetRange('last7Days', '2026-03-15'), period: 'hourly' }, '2026-03-15')).toBe('last7Days');
    expect(
      presetOf({ start_date: '2026-03-01', end_date: '2026-03-14', period: 'daily' }, '2026-03-15'),
    ).toBeUndefined();
    expect(viewOf({ ...presetRange('thisMonth', '2026-03-15'), period: 'hourly' }, '2026-03-15')).toEqual({
      start_date: '2026-03-01',
      end_date: '2026-03-15',
      period: 'hourly',
    });
  });

  it('steps grow where there would be too many', () => {
    const steps = (start_date: string, end_date: string) => inFittingSteps({ start_date, end_date }, 'hourly').period;
    expect([
      steps('2026-03-01', '2026-03-31'),
      steps('2026-03-01', '2026-04-01'),
      steps('2025-01-01', '2026-01-02'),
    ]).toEqual(['hourly', 'daily', 'monthly']);
  });
});
