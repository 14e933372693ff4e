import { describe, expect } from 'vitest';
import type { UsageActivity, UsageCost } from '#contract/usage.ts';
import { usageMachine } from '#machines/workspace/usage/machine.ts';
import { describeWalks } from './walk.ts';

const april: Pick<UsageActivity, 'start_date' | 'end_date' | 'period' | 'buckets'> = {
  start_date: '2026-04-01',
  end_date: '2026-04-02',
  period: 'daily',
  buckets: ['2026-04-01T00:00:00Z', '2026-04-02T00:00:00Z'],
};
const series = { service: 'async', model: 'a-1' } as const;
const activity: UsageActivity = {
  ...april,
  series: [{ ...series, requests: [0, 1], audio_ms: [0, 1000] }],
  totals: { requests: 1, audio_ms: 1000 },
};
const noActivity: UsageActivity = { ...april, series: [], totals: { requests: 0, audio_ms: 0 } };
const cost: UsageCost = {
  ...april,
  currency: 'USD',
  series: [{ ...series, cost_micros: [0, 28] }],
  totals: { cost_micros: 28 },
};
const noCost: UsageCost = { ...cost, series: [], totals: { cost_micros: 0 } };
const noPrices: UsageCost = { ...noCost, totals: { cost_micros: null } };

const place = { orgUuid: 'o1', projectUuid: 'p1' };
const others = [
  { start_date: '2026-03-01', end_date: '2026-03-05' },
  { start_date: '2026-03-05', end_date: '2026-03-01' },
  {},
];
const at = (screen: 'usageCost' | 'usageActivity') => [
  ...others.map((view) => ({ route: { screen, ...place, ...view } })),
  { route: { screen: 'home' } },
];

describe('PRJ-04: usage', () => {
  describeWalks(
    usageMachine,
    {
      tags: {
        loading: ['loading'],
        failed: ['failed'],
        unpriced: ['shown.unpriced'],
        empty: ['shown.empty'],
        charted: ['shown.charted'],
      },
      ignored: {
        'The period is not long enough for these steps, or has them already': 'period.chosen at times in any state',
        'Nothing has failed': 'retry.requested in loading, shown',
        'There is no chart':
          'measure.chosen, bar.pointed, table.toggled, column.chosen in failed, loading, shown.{empty, unpriced}',
      },
      cases: {
        'done readToday': ['2026-04-15'],
        'preset.chosen': [{ preset: 'last7Days' }],
        'period.chosen': [{ period: 'monthly' }, { period: 'hourly' }],
        'days.edited': [{ start_date: '2026-03-02', end_date: '2026-03-31' }],
        'days.submitted': [
          { start_date: '2025-01-01', end_date: '2026-03-31' },
          { start_date: '2026-03-31', end_date: '' },
        ],
        'measure.chosen': [{ measure: 'audio_ms' }],
        'bar.pointed': [{ index: 1 }],
        'table.toggled': [{ isOpen: true }],
        'column.chosen': [{ column: 1 }],
      },
      distinguish: ({ context: { range, view, wanted } }) => [
        range === null,
        range?.period === 'monthly',
        view.start_date === undefined,
        wanted !== null,
      ],
      merge: true,
      states: {
        'shown.unpriced': ({ context }) => expect(context.usage.figures.totals.cost_micros).toBeNull(),
        'shown.empty': ({ context }) => expect(context.usage.figures.series).toEqual([]),
        'shown.charted': ({ context }) => expect(context.usage.figures.series).not.toEqual([]),
        failed: ({ context }) => expect(context.failure).not.toBeNull(),
      },
    },
    {
      'activity of a project': {
        input: { scope: place, chart: 'activity', view: {} },
        without: ['period.', 'days.'],
        cases: {
          'done loadUsage': [
            { chart: 'activity', figures: activity },
            { chart: 'activity', figures: noActivity },
          ],
          'route.changed': at('usageActivity'),
        },
      },
      'cost of a project, at an address of no period': {
        input: { scope: place, chart: 'cost', view: { start_date: 'soon' } },
        without: ['preset.', 'period.', 'days.'],
        cases: {
          'done loadUsage': [cost, noCost, noPrices].map((figures) => ({ chart: 'cost', figures })),
          'route.changed': at('usageCost'),
        },
      },
      'an organization': {
        input: { scope: { orgUuid: 'o1', projectUuid: null }, chart: 'activity', view: {} },
        without: ['preset.'],
        cases: {
          'done loadUsage': [{ chart: 'activity', figures: activity }],
          'route.changed': [],
        },
      },
    },
  );
});
