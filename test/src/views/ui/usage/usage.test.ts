import { describe, expect, it } from 'vitest';
import type { UsageActivity } from '#contract/usage.ts';
import { CHART_COLOURS, chartColour } from '#src/theme/charts.ts';
import {
  describeBar,
  folded,
  formatCounted,
  labelled,
  longStep,
  seriesOf,
  shortStep,
  tickTexts,
  ticksOf,
  totalAt,
} from '#src/views/ui/usage/bars.ts';
import { sinceFirstUse } from '#src/views/ui/usage/firstUse.ts';
import { drawnBars, drawnLine, isSparse } from '#src/views/ui/usage/lines.ts';
import { stacked } from '#src/views/ui/usage/stacked.ts';

const figures = (models: number): UsageActivity => ({
  start_date: '2026-11-01',
  end_date: '2026-11-02',
  period: 'daily',
  buckets: ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'],
  series: Array.from({ length: models }, (_, index) => ({
    service: index === 0 ? ('real_time' as const) : ('async' as const),
    model: `m-${index}`,
    requests: [index, 1],
    audio_ms: [index * 1000, 10],
  })),
  totals: { requests: 0, audio_ms: 0 },
});

const activity = (models: number, measure: 'requests' | 'audio_ms' = 'requests') =>
  seriesOf({ chart: 'activity', figures: figures(models) }, measure);

describe('PRJ-04: what a chart of usage draws', () => {
  it('a series per service and model with its sum, of what is measured', () => {
    expect(activity(2)).toMatchObject([
      { name: 'm-0', service: 'Live', values: [0, 1], total: 1 },
      { name: 'm-1', service: 'Async', values: [1, 1], total: 2 },
    ]);
    expect(activity(2, 'audio_ms')[1]).toMatchObject({
      values: [1000, 10],
      total: 1010,
    });
    const cost = {
      ...figures(0),
      currency: 'USD' as const,
      series: [{ service: 'async' as const, model: 'm', cost_micros: [28, 0] }],
      totals: { cost_micros: 28 },
    };
    expect(seriesOf({ chart: 'cost', figures: cost }, 'requests')).toMatchObject([
      { name: 'm', values: [28, 0], total: 28 },
    ]);
  });

  it('no more colours than can be told apart: the smallest are one, and nothing is lost', () => {
    const all = activity(8);
    const drawn = folded(all);
    expect(drawn.map(({ name }) => name)).toEqual(['m-3', 'm-4', 'm-5', 'm-6', 'm-7', '3 other models']);
    expect([totalAt(drawn, 0), totalAt(drawn, 1)]).toEqual([totalAt(all, 0), totalAt(all, 1)]);
    expect(new Set(drawn.map(({ colour }) => colour)).size).toBe(6);
    expect(folded(all.slice(0, 6))).toMatchObject(all.slice(0, 6));
  });

  it('UXP-92: the colour of a kind, whatever stands beside it, and no other twice', () => {
    const coloursOf = (models: number) => folded(activity(models)).map(({ colour }) => colour);
    expect(coloursOf(1)).toEqual([chartColour('real_time')]);
    expect(coloursOf(2)).toEqual([chartColour('real_time'), chartColour('async')]);
    for (const models of [6, 8]) expect(new Set(coloursOf(models)).size).toBe(6);
    const projects = activity(6).map(({ name, values, total }) => ({ name, service: '', values, total }));
    expect(folded(projects, 'projects').map(({ colour }) => colour)).toEqual(CHART_COLOURS);
  });

  it.each([
    [0, 'requests', [0, 1]],
    [3, 'requests', [0, 1, 2, 3]],
    [7, 'requests', [0, 2, 4, 6, 8]],
    [1000, 'requests', [0, 500, 1000]],
    [28, 'cost_micros', [0, 10, 20, 30]],
    [90_000, 'audio_ms', [0, 30_000, 60_000, 90_000]],
    [40_000_000, 'audio_ms', [0, 18_000_000, 36_000_000, 54_000_000]],
  ] as const)('round marks up to %i (%s)', (max, unit, marks) => {
    expect(ticksOf(max, unit)).toEqual(marks);
  });

  it('every amount as it is, though nothing that was used is too small to be seen', () => {
    const series = seriesOf(
      {
        chart: 'activity',
        figures: {
          ...figures(2),
          series: [
            { service: 'async', model: 'a', requests: [0, 400], audio_ms: [] },
            { service: 'async', model: 'b', requests: [1, 20], audio_ms: [] },
          ],
        },
      },
      'requests',
    );
    // 200 pixels are 1,000 requests.
    expect(stacked(series, 1000)).toEqual(['M1.14,200v-79h0.72v79z', 'M0.14,200v-2h0.72v2zM1.14,120v-3h0.72v3z']);
  });

  it('PRF-03: every step that has something has its bar, each upon those below it', () => {
    const values = Array.from({ length: 744 }, (_, index) => index % 7);
    const [lower = '', upper = ''] = stacked([{ values }, { values }], 12);
    for (const path of [lower, upper])
      expect(path.match(/M/g)).toHaveLength(values.filter((value) => value > 0).length);
    expect(lower).toContain('M6.14,200v-99h0.72v99z');
    expect(upper).toContain('M6.14,100v-99h0.72v99z');
  });

  it('MTR-03: a line has a gap where nothing was measured, and a dot where nothing was measured on either side', () => {
    expect(drawnLine([0, 50, null, 100, null, 25], 100)).toEqual({
      line: 'M0.5,200L1.5,100M3.5,0M5.5,150',
      dots: 'M3.5,0h0M5.5,150h0',
    });
  });

  it('CON-18: names for as many steps as there is room for, from the first on, at equal distances', () => {
    expect([labelled(1, 'daily'), labelled(7, 'daily'), labelled(30, 'daily'), labelled(744, 'hourly')]).toEqual([
      [0],
      [0, 2, 4, 6],
      [0, 6, 12, 18, 24],
      [0, 186, 372, 558],
    ]);
  });

  it('a bar in a sentence: its step, its sum, and what it is made of', () => {
    const series = activity(2);
    expect(describeBar(series, 0, 'Nov 1, 2026', 'requests')).toBe('Nov 1, 2026: 1 request. Async m-1: 1 request.');
    expect(describeBar(series, 1, 'Nov 2, 2026', 'requests')).toBe(
      'Nov 2, 2026: 2 requests. Live m-0: 1 request, Async m-1: 1 request.',
    );
    expect(describeBar([], 0, 'Nov 1, 2026', 'requests')).toBe('Nov 1, 2026: 0 requests.');
  });

  it.each([
    ['cost_micros', [0, 5000, 10_000, 15_000], ['$0.000', '$0.005', '$0.010', '$0.015']],
    ['cost_micros', [0, 2_000_000], ['$0.00', '$2.00']],
    ['percent', [0, 0.5, 1], ['0.0%', '0.5%', '1.0%']],
    ['latency_ms', [0, 5000, 10_000], ['0 s', '5 s', '10 s']],
    ['latency_ms', [0, 500, 1000, 1500], ['0.0 s', '0.5 s', '1.0 s', '1.5 s']],
    ['latency_ms', [0, 200, 400], ['0 ms', '200 ms', '400 ms']],
    ['audio_ms', [0, 90_000, 3_600_000], ['0 s', '1 min 30 s', '1 h']],
    ['requests', [0, 1000], ['0', '1,000']],
  ] as const)('UXP-93: marks of one scale (%s) have one unit and as many decimals', (unit, ticks, texts) => {
    expect(tickTexts(ticks, unit)).toEqual(texts);
  });

  it('UXP-94: a chart begins near the first use if most of its period is before it, and says when that was', () => {
    const starts = Array.from({ length: 29 }, (_, index) => `2026-11-${String(index + 1).padStart(2, '0')}T00:00:00Z`);
    const usedFrom = (first: number) =>
      sinceFirstUse([{ values: starts.map((_, at) => (at < first ? 0 : 1)) }], starts);
    const begun = ({ stepStarts, series, firstUse }: ReturnType<typeof usedFrom>) => [
      stepStarts[0],
      series[0]?.values.length,
      firstUse,
    ];
    expect([5, 16, 25].map(usedFrom).map(begun)).toEqual([
      [starts[0], 29, null],
      [starts[16], 13, starts[16]],
      [starts[22], 7, starts[25]],
    ]);
    expect(begun(sinceFirstUse([{ values: starts.map(() => 0) }], starts))).toEqual([starts[0], 29, null]);
  });

  it('UXP-94: lines that would be lonely dots are bars, side by side', () => {
    const line = (...values: (number | null)[]) => ({ name: '', colour: '', values });
    expect([line(null, 4, null, 7), line(1, 2, null, 3), line(null)].map((one) => isSparse([one]))).toEqual([
      true,
      false,
      false,
    ]);
    expect(isSparse([line(4, null), line(null, 5)])).toBe(false);
    expect(drawnBars([null, 50, 0], 100, 1, 3)).toBe('M1.38,200v-100h0.24v100zM2.38,200v-2h0.24v2z');
  });

  it('times of UTC and amounts in words', () => {
    const start = '2026-11-03T14:00:00Z';
    for (const [period, short, long] of [
      ['hourly', 'Nov 3, 14:00', 'Nov 3, 2026, 14:00'],
      ['daily', 'Nov 3', 'Nov 3, 2026'],
      ['monthly', 'Nov 2026', 'November 2026'],
    ] as const)
      expect([shortStep(start, period, 'utc'), longStep(start, period, 'utc')]).toEqual([short, long]);
    expect([formatCounted(1, 'requests'), formatCounted(1200, 'requests'), formatCounted(28, 'cost_micros')]).toEqual([
      '1 request',
      '1,200 requests',
      '$0.000028',
    ]);
  });
});
