import { describe, expect } from 'vitest';
import { latencyOf, latenciesOf, isIdle } from '#machines/workspace/metrics/figures.ts';
import { metricsMachine } from '#machines/workspace/metrics/machine.ts';
import { busy, FILE_MODEL, idle, LIVE_MODEL } from '#test/machines/measured.ts';
import { describeWalks } from './walk.ts';

const place = { orgUuid: 'o1', projectUuid: 'p1' };
const addresses = [
  { start_date: '2026-03-01', end_date: '2026-03-05' },
  { start_date: '2026-03-01', end_date: '2026-03-05', period: 'monthly' },
  {},
].map((view) => ({ type: 'route.changed', route: { screen: 'metrics', ...place, ...view } }));

describe('PRJ-06: metrics', () => {
  describeWalks(
    metricsMachine,
    {
      tags: { loading: ['loading'], failed: ['failed'], empty: ['shown.empty'], charted: ['shown.charted'] },
      refused: [
        {
          states: [''],
          event: { type: 'latency.chosen', latency: 'finals' },
          when: ({ context }) => context.model === FILE_MODEL,
          why: 'It is of live sessions',
        },
      ],
      ignored: {
        'The period is not long enough for these steps, has them already, or comes in no such steps':
          'period.chosen at times in any state',
        'Nothing has failed': 'retry.requested in loading, shown',
        'There is no chart':
          'model.chosen, latency.chosen, bar.pointed, table.toggled, column.chosen, download.requested in failed, loading, shown.empty',
      },
      cases: {
        'done readToday': ['2026-04-15'],
        'done loadMetrics': [busy, idle],
        'route.changed': [...addresses, { route: { screen: 'home' } }],
        'preset.chosen': [{ preset: 'last7Days' }],
        'period.chosen': [{ period: 'hourly' }, { period: 'monthly' }],
        'days.edited': [{ start_date: '2026-03-02', end_date: '2026-03-31' }],
        'days.submitted': [
          { start_date: '2026-03-01', end_date: '2026-03-31' },
          { start_date: '2024-01-01', end_date: '2026-03-31' },
        ],
        'model.chosen': [FILE_MODEL, 'async gone', null].map((model) => ({ model })),
        'latency.chosen': [{ latency: 'queue' }, { latency: 'finals' }],
        'bar.pointed': [{ index: 1 }],
        'table.toggled': [true, false].map((isOpen) => ({ sheet: 'audio', isOpen })),
        'column.chosen': [{ sheet: 'models', column: 2 }],
        'download.requested': [{ sheet: 'requests' }],
      },
      distinguish: ({ context: { range, view, wanted, model } }) => [
        range === null,
        view.start_date === undefined,
        wanted !== null,
        model,
      ],
      merge: true,
      states: {
        'loading.fetching': ({ context }) => expect(['hourly', 'daily']).toContain(context.range?.period),
        'shown.empty': ({ context: { metrics } }) => expect(isIdle(metrics)).toBe(true),
        'shown.charted': ({ context: { metrics, model, latency } }) => {
          expect(isIdle(metrics)).toBe(false);
          expect([null, FILE_MODEL, LIVE_MODEL]).toContain(model);
          expect(latenciesOf(metrics, model)).toContain(latencyOf(metrics, model, latency));
        },
        failed: ({ context }) => expect(context.failure).not.toBeNull(),
      },
    },
    {
      'of this month': { input: { ...place, view: {} }, without: ['period.', 'days.', 'route.'] },
      'at an address of no period': {
        input: { ...place, view: { start_date: 'soon' } },
        without: ['preset.', 'model.', 'latency.', 'table.', 'column.', 'download.'],
      },
    },
  );
});
