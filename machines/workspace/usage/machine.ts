// Models the chart of what was used, or what it cost, over a period that the address tells.
// Owned by the workspace while that screen of a project is open, and by the dashboard for its organization.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { USAGE_PERIODS } from '#contract/usage.ts';
import { withEvent } from '../../shared/withEvent.ts';
import type { Route, RouteChanged, UsageRoute, UsageView } from '../../shared/route.ts';
import { loadUsage, readToday, type ChartName, type Usage, type UsageScope } from './actors.ts';
import { overPeriod } from './overPeriod.ts';
import { dated, rangeShown, undecided, type PeriodContext, type PeriodEvent } from './period.ts';

type Input = {
  scope: UsageScope;
  chart: ChartName;
  /** What the address asks for. */
  view: UsageView;
};

/** What the bars of an activity stand for. */
export type Measure = 'requests' | 'audio_ms';

export type UsageContext = Input &
  PeriodContext & {
    usage: Usage | null;
    measure: Measure;
    /** The step of the period that is looked at. */
    pointed: number | null;
    /** Whether the figures show as a table, too. */
    isTableOpen: boolean;
  };

const isUsage = (route: Route): route is UsageRoute => route.screen === 'usageCost' || route.screen === 'usageActivity';

/** Where a period is shown; only asked for where there is one, of a project. */
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
      | { type: 'table.toggled'; isOpen: boolean };
    tags: 'loading' | 'failed' | 'empty' | 'unpriced' | 'charted';
  },
  actors: { readToday, loadUsage },
  guards: {
    ...period.guards,
    /** An organization's has no address of its own. */
    isChosen: ({ context: { wanted, scope } }) => wanted !== null && scope.projectUuid !== null,
    isUnpriced: ({ context: { usage } }) => usage?.chart === 'cost' && usage.figures.totals.cost_micros === null,
    isEmpty: ({ context: { usage } }) => usage?.figures.series.length === 0,
  },
  actions: {
    ...period.actions,
    setFigures: assign((_, usage: Usage) => ({ usage, failure: null, pointed: null })),
    setMeasure: assign((_, { measure }: { measure: Measure }) => ({ measure })),
    setPointed: assign((_, { index }: { index: number | null }) => ({ pointed: index })),
    setTable: assign((_, { isOpen }: { isOpen: boolean }) => ({ isTableOpen: isOpen })),
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
          },
        },
      },
    },
  },
});

/** The input of the chart that a route names. */
export const usageInput = (route: Route): Input => {
  if (!isUsage(route)) throw new Error('The route names no usage.');
  const { screen, orgUuid, projectUuid } = route;
  return { scope: { orgUuid, projectUuid }, chart: screen === 'usageCost' ? 'cost' : 'activity', view: dated(route) };
};

export type UsageActor = ActorRefFrom<typeof usageMachine>;
