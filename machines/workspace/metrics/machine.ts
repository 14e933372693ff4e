// Models the metrics of a project over the period in the address, for all models or for one.
// Owned by the workspace, while its screen is open.
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { METRICS_PERIODS, type Metrics, type MetricsLatency } from '#contract/metrics.ts';
import { withEvent } from '../../shared/withEvent.ts';
import type { ToastRequested } from '../../shared/appServices.ts';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import type { MetricsRoute, Route, RouteChanged, UsageView } from '../../shared/route.ts';
import { AS_SENT, figuresOrdered, type FiguresOrder } from '../usage/order.ts';
import { overPeriod } from '../usage/overPeriod.ts';
import { periodView, rangeShown, undecided, type PeriodContext, type PeriodEvent } from '../usage/period.ts';
import { loadMetrics, readToday, saveTextFile, type TextFile } from './actors.ts';
import { hasModel, isIdle, latenciesOf, latencyOf } from './figures.ts';
import { fileOf, type SheetName } from './sheets.ts';

type Input = {
  orgUuid: string;
  projectUuid: string;
  /** What the address selects. */
  view: UsageView;
};

export type MetricsContext = Input &
  PeriodContext & {
    metrics: Metrics | null;
    /** Key of the chosen model; null for all. */
    model: string | null;
    /** The chosen latency; null for the model's default. */
    latency: MetricsLatency | null;
    /** Index of the pointed step, in all charts. */
    pointed: number | null;
    /** Charts whose tables are open. */
    opened: readonly SheetName[];
    /** The orders of tables in which somebody chose a column. */
    orders: { readonly [Name in SheetName]?: FiguresOrder };
    /** The file being saved. */
    file: TextFile | null;
  };

const NOT_SAVED = 'The browser refused to save the file.';

const isMetrics = (route: Route): route is MetricsRoute => route.screen === 'metrics';

const period = overPeriod({
  id: 'metrics',
  isShown: isMetrics,
  address: ({ orgUuid, projectUuid, view }: MetricsContext) => ({ screen: 'metrics', orgUuid, projectUuid, ...view }),
  load: 'loadMetrics',
  request: (context: MetricsContext) => ({ projectUuid: context.projectUuid, range: rangeShown(context) }),
});

export const metricsMachine = setup({
  types: {} as {
    context: MetricsContext;
    input: Input;
    events:
      | RouteChanged
      | { type: 'retry.requested' }
      | PeriodEvent
      | { type: 'model.chosen'; model: string | null }
      | { type: 'latency.chosen'; latency: MetricsLatency }
      | { type: 'bar.pointed'; index: number | null }
      | { type: 'table.toggled'; sheet: SheetName; isOpen: boolean }
      | { type: 'column.chosen'; sheet: SheetName; column: number }
      | { type: 'download.requested'; sheet: SheetName };
    tags: 'loading' | 'failed' | 'empty' | 'charted';
  },
  actors: { readToday, loadMetrics, saveTextFile },
  guards: {
    ...period.guards,
    isEmpty: ({ context: { metrics } }) => metrics === null || isIdle(metrics),
    isModel: ({ context: { metrics } }, { model }: { model: string | null }) =>
      model === null || (metrics !== null && hasModel(metrics, model)),
    isOffered: ({ context: { metrics, model } }, { latency }: { latency: MetricsLatency }) =>
      metrics !== null && latenciesOf(metrics, model).includes(latency),
  },
  actions: {
    ...period.actions,
    // Clears the choice of a model that the period does not have.
    setFigures: assign(({ context: { model } }, metrics: Metrics) => ({
      metrics,
      model: hasModel(metrics, model) ? model : null,
      failure: null,
      pointed: null,
    })),
    setModel: assign((_, { model }: { model: string | null }) => ({ model })),
    setLatency: assign((_, { latency }: { latency: MetricsLatency }) => ({ latency })),
    setPointed: assign((_, { index }: { index: number | null }) => ({ pointed: index })),
    setTable: assign(({ context: { opened } }, { sheet, isOpen }: { sheet: SheetName; isOpen: boolean }) => {
      const others = opened.filter((name) => name !== sheet);
      return { opened: isOpen ? [...others, sheet] : others };
    }),
    setOrder: assign(({ context: { orders } }, { sheet, column }: { sheet: SheetName; column: number }) => ({
      orders: { ...orders, [sheet]: figuresOrdered(orders[sheet] ?? AS_SENT, column) },
    })),
    write: assign(({ context: { metrics, model, latency } }, { sheet }: { sheet: SheetName }) => ({
      file: metrics && fileOf(sheet, metrics, { model, latency: latencyOf(metrics, model, latency) }),
    })),
    clearFile: assign({ file: null }),
    sendToApp: sendToApp<NavigateRequested | ToastRequested>(),
  },
}).createMachine({
  id: 'metrics',
  context: ({ input }) => ({
    ...input,
    ...undecided,
    steps: METRICS_PERIODS,
    metrics: null,
    model: null,
    latency: null,
    pointed: null,
    opened: [],
    orders: {},
    file: null,
  }),
  initial: 'loading',
  on: { ...period.on, ...period.inSteps },
  states: {
    loading: period.loading,
    failed: period.failed,
    shown: {
      initial: 'deciding',
      states: {
        deciding: { always: [{ guard: 'isEmpty', target: 'empty' }, { target: 'charted' }] },
        empty: { tags: 'empty' },
        charted: {
          tags: 'charted',
          initial: 'idle',
          on: {
            'model.chosen': { guard: withEvent('isModel'), actions: withEvent('setModel') },
            'latency.chosen': { guard: withEvent('isOffered'), actions: withEvent('setLatency') },
            'bar.pointed': { actions: withEvent('setPointed') },
            'table.toggled': { actions: withEvent('setTable') },
            'column.chosen': { actions: withEvent('setOrder') },
            'download.requested': { target: '.saving', actions: withEvent('write') },
          },
          states: {
            idle: {},
            saving: {
              invoke: {
                id: 'saveTextFile',
                src: 'saveTextFile',
                input: ({ context: { file } }) => {
                  if (!file) throw new Error('Nothing to save.');
                  return file;
                },
                onDone: { target: 'idle', actions: 'clearFile' },
                onError: {
                  target: 'idle',
                  actions: [
                    'clearFile',
                    { type: 'sendToApp', params: { type: 'toast.requested', kind: 'error', text: NOT_SAVED } },
                  ],
                },
              },
            },
          },
        },
      },
    },
  },
});

/** The chart's input from its route. */
export const metricsInput = (route: Route): Input => {
  if (!isMetrics(route)) throw new Error('The route is not the metrics.');
  const { orgUuid, projectUuid } = route;
  return { orgUuid, projectUuid, view: periodView(route) };
};

export type MetricsActor = ActorRefFrom<typeof metricsMachine>;
export type MetricsSnapshot = SnapshotFrom<typeof metricsMachine>;
