// Models the chart of usage or costs over the period in the address.
// Owned by the workspace, while that screen of a project is open, and by the dashboard for its organization.
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { USAGE_PERIODS } from '#contract/usage.ts';
import { withEvent } from '../../shared/withEvent.ts';
import type { Route, RouteChanged, UsageRoute, UsageView } from '../../shared/route.ts';
import { loadUsage, readToday, type ChartName, type Usage, type UsageScope } from './actors.ts';
import { AS_SENT, figuresOrdered, type FiguresOrder } from './order.ts';
import { overPeriod } from './overPeriod.ts';
import { periodView, rangeShown, undecided, type PeriodContext, type PeriodEvent } from './period.ts';

type Input = {
  scope: UsageScope;
  chart: ChartName;
  /** What the address selects. */
  view: UsageView;
};

/** Quantities that the bars of an activity can show. */
export type Measure = 'requests' | 'audio_ms';

export type UsageContext = Input &
  PeriodContext & {
    usage: Usage | null;
    measure: Measure;
    /** Index of the pointed step. */
    pointed: number | null;
    /** Whether the table of figures is open. */
    isTableOpen: boolean;
    /** The order of its rows. */
    order: FiguresOrder;
  };

const isUsage = (route: Route): route is UsageRoute => route.screen === 'usageCost' || route.screen === 'usageActivity';

/** The route of a project's chart. */
const address = ({ scope: { orgUuid, projectUuid }, chart, view }: UsageContext): UsageRoute => ({
  screen: chart === 'cost' ? 'usageCost' : 'usageActivity',
  orgUuid,
  projectUuid: projectUuid ?? '',
  ...view,
});

const period = overPeriod({
  id: 'usage',
  isShown: isUsage,
  address,
  load: 'loadUsage',
  request: (context: UsageContext) => ({ scope: context.scope, chart: context.chart, range: rangeShown(context) }),
});

export const usageMachine = setup({
  types: {} as {
    context: UsageContext;
    input: Input;
    events:
      | RouteChanged
      | { type: 'retry.requested' }
      | PeriodEvent
      | { type: 'measure.chosen'; measure: Measure }
      | { type: 'bar.pointed'; index: number | null }
      | { type: 'table.toggled'; isOpen: boolean }
      | { type: 'column.chosen'; column: number };
    tags: 'loading' | 'failed' | 'empty' | 'unpriced' | 'charted';
  },
  actors: { readToday, loadUsage },
  guards: {
    ...period.guards,
    /** Only a project's chart has an address for the chosen period. */
    isChosen: ({ context: { wanted, scope } }) => wanted !== null && scope.projectUuid !== null,
    isUnpriced: ({ context: { usage } }) => usage?.chart === 'cost' && usage.figures.totals.cost_micros === null,
    isEmpty: ({ context: { usage } }) => usage?.figures.series.length === 0,
  },
  actions: {
    ...period.actions,
    // Other figures may have other columns.
    setFigures: assign((_, usage: Usage) => ({ usage, failure: null, pointed: null, order: AS_SENT })),
    setMeasure: assign((_, { measure }: { measure: Measure }) => ({ measure })),
    setPointed: assign((_, { index }: { index: number | null }) => ({ pointed: index })),
    setTable: assign((_, { isOpen }: { isOpen: boolean }) => ({ isTableOpen: isOpen })),
    setOrder: assign(({ context: { order } }, { column }: { column: number }) => ({
      order: figuresOrdered(order, column),
    })),
  },
}).createMachine({
  id: 'usage',
  context: ({ input }) => ({
    ...input,
    ...undecided,
    steps: USAGE_PERIODS,
    usage: null,
    measure: 'requests',
    pointed: null,
    isTableOpen: false,
    order: AS_SENT,
  }),
  initial: 'loading',
  on: { ...period.on, ...period.inSteps },
  states: {
    loading: period.loading,
    failed: period.failed,
    shown: {
      initial: 'deciding',
      states: {
        deciding: {
          always: [
            { guard: 'isUnpriced', target: 'unpriced' },
            { guard: 'isEmpty', target: 'empty' },
            { target: 'charted' },
          ],
        },
        unpriced: { tags: 'unpriced' },
        empty: { tags: 'empty' },
        charted: {
          tags: 'charted',
          on: {
            'measure.chosen': { actions: withEvent('setMeasure') },
            'bar.pointed': { actions: withEvent('setPointed') },
            'table.toggled': { actions: withEvent('setTable') },
            'column.chosen': { actions: withEvent('setOrder') },
          },
        },
      },
    },
  },
});

/** The chart's input from its route. */
export const usageInput = (route: Route): Input => {
  if (!isUsage(route)) throw new Error('The route is not a usage chart.');
  const { screen, orgUuid, projectUuid } = route;
  return {
    scope: { orgUuid, projectUuid },
    chart: screen === 'usageCost' ? 'cost' : 'activity',
    view: periodView(route),
  };
};

export type UsageActor = ActorRefFrom<typeof usageMachine>;
export type UsageSnapshot = SnapshotFrom<typeof usageMachine>;
