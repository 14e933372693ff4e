import { describe, expect, it } from 'vitest';
import { createActor, fromPromise, setup, waitFor, type AnyEventObject } from 'xstate';
import type { UsageActivity } from '#contract/usage.ts';
import { usageMachine } from '#machines/workspace/usage/machine.ts';
import { isMisled } from '#machines/workspace/usage/period.ts';
import { inFittingSteps, presetOf, presetRange, rangeOf, viewOf, type Range } from '#machines/workspace/usage/range.ts';
import type { UsageView } from '#machines/shared/route.ts';
import { RESIDENTS, residentTelling } from './residents.ts';

const figures: UsageActivity = {
  start_date: '',
  end_date: '',
  period: 'daily',
  buckets: [],
  series: [],
  totals: { requests: 0, audio_ms: 0 },
};
const scope = { orgUuid: 'o1', projectUuid: 'p1' };

/** The chart in a parent that keeps what it is told; `asked` are the periods that it loaded. */
function started(view: UsageView, today = '2026-03-15') {
  const told: AnyEventObject[] = [];
  const asked: Range[] = [];
  const usage = usageMachine.provide({
    actors: {
      readToday: fromPromise(() => Promise.resolve(today)),
      loadUsage: fromPromise(({ input: { range } }) => {
        asked.push(range);
        return Promise.resolve({ chart: 'activity', figures });
      }),
    },
  });
  const parent = setup({ actors: { usage, resident: residentTelling((event) => told.push(event)) } }).createMachine({
    invoke: [...RESIDENTS, { id: 'usage', src: 'usage', input: { scope, chart: 'activity', view } }],
  });
  const root = createActor(parent).start();
  const actor = root.getSnapshot().children['usage'];
  if (!actor) throw new Error('There is no chart.');
  return { actor, told, asked, settled: () => waitFor(actor, (snapshot) => snapshot.hasTag('empty')) };
}

describe('PRJ-04: the period of a chart', () => {
  it('is this month by itself, and what the address says where it says something', async () => {
    const { actor, asked, told, settled } = started({});
    await settled();
    actor.send({
      type: 'route.changed',
      route: { screen: 'usageActivity', ...scope, start_date: '2026-02-27', end_date: '2026-03-01', period: 'hourly' },
    });
    const { context } = await settled();
    expect(asked).toEqual([
      { start_date: '2026-03-01', end_date: '2026-03-15', period: 'daily' },
      { start_date: '2026-02-27', end_date: '2026-03-01', period: 'hourly' },
    ]);
    // An address is adopted, never answered with one.
    expect([told, isMisled(context)]).toEqual([[], false]);
  });

  it('is this month where the address makes no sense', async () => {
    const { asked, settled } = started({ start_date: '2026-02-30' });
    expect(isMisled((await settled()).context)).toBe(true);
    expect(asked).toEqual([{ start_date: '2026-03-01', end_date: '2026-03-15', period: 'daily' }]);
  });

  it('goes into the address when it is chosen, and is loaded once', async () => {
    const { actor, asked, told, settled } = started({});
    await settled();
    actor.send({ type: 'preset.chosen', preset: 'lastMonth' });
    await settled();
    const to = { screen: 'usageActivity', ...scope, start_date: '2026-02-01', end_date: '2026-02-28' } as const;
    expect(told).toEqual([{ type: 'navigate.requested', to }]);
    actor.send({ type: 'route.changed', route: to });
    await settled();
    expect(asked).toHaveLength(2);
    actor.send({ type: 'preset.chosen', preset: 'thisMonth' });
    await settled();
    expect(told.at(-1)?.['to']).toEqual({ screen: 'usageActivity', ...scope });
  });

  it('says what is wrong with days that were typed, and loads nothing for them', async () => {
    const { actor, asked, settled } = started({});
    await settled();
    actor.send({ type: 'days.submitted', start_date: '2026-03-02', end_date: '2026-03-01' });
    expect(actor.getSnapshot().context.problem).toBe('The last day must not be before the first.');
    actor.send({ type: 'days.submitted', start_date: '2020-01-01', end_date: '2026-03-01' });
    expect(actor.getSnapshot().context.problem).toMatch(/must not exceed/);
    expect(asked).toHaveLength(1);
    // More days than fit into daily steps are shown by the month.
    actor.send({ type: 'days.submitted', start_date: '2024-01-01', end_date: '2026-03-01' });
    expect((await settled()).context).toMatchObject({
      problem: null,
      range: { start_date: '2024-01-01', end_date: '2026-03-01', period: 'monthly' },
    });
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
