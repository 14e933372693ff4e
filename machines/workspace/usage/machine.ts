// Models the chart of what was used, or what it cost, over a period that the address tells.
// Owned by the workspace while that screen of a project is open, and by the dashboard for its organization.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { USAGE_PERIODS, type UsagePeriod } from '#contract/usage.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { announce, type NavigateRequested } from '../../shared/residents.ts';
import type { Route, RouteChanged, UsageRoute, UsageView } from '../../shared/route.ts';
import { loadUsage, readToday, type ChartName, type Usage, type UsageScope } from './actors.ts';
import {
  adopted,
  chosenDays,
  dated,
  daysProblem,
  decided,
  mayStep,
  undecided,
  type Days,
  type PeriodContext,
  type PeriodEvent,
} from './period.ts';
import { isSameView, shownRange, type Preset } from './range.ts';
import { UNREAD } from '../../shared/unread.ts';
import { given } from '../../shared/given.ts';

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
    failure: Failure | null;
    measure: Measure;
    /** The step of the period that is looked at. */
    pointed: number | null;
  };

const isUsage = (route: Route): route is UsageRoute => route.screen === 'usageCost' || route.screen === 'usageActivity';

/** Where a period is shown; only asked for where there is one, of a project. */
function routeShowing({ scope: { orgUuid, projectUuid }, chart, view }: UsageContext): UsageRoute {
  return { screen: chart === 'cost' ? 'usageCost' : 'usageActivity', orgUuid, projectUuid: projectUuid ?? '', ...view };
}

export const usageMachine = setup({
  types: {} as {
    context: UsageContext;
    input: Input;
    events:
      | RouteChanged
      | { type: 'retry.requested' }
      | PeriodEvent
      | { type: 'measure.chosen'; measure: Measure }
      | { type: 'bar.pointed'; index: number | null };
    tags: 'loading' | 'failed' | 'empty' | 'unpriced' | 'charted';
  },
  actors: { readToday, loadUsage },
  guards: {
    isOther: ({ context }, { route }: { route: Route }) => isUsage(route) && !isSameView(route, context.view),
    /** An organization's has no address of its own. */
    isChosenForAddress: ({ context: { wanted, scope } }) => wanted !== null && scope.projectUuid !== null,
    isInSteps: ({ context }, { period }: { period: UsagePeriod }) => mayStep(context, period),
    isPeriod: ({ context }, days: Days) => daysProblem(context, days) === null,
    isUnpriced: ({ context: { usage } }) => usage?.chart === 'cost' && usage.figures.totals.cost_micros === null,
    isEmpty: ({ context: { usage } }) => usage?.figures.series.length === 0,
  },
  actions: {
    adoptView: assign((_, { route }: { route: Route }) => (isUsage(route) ? adopted(route) : {})),
    wantPreset: assign((_, { preset }: { preset: Preset }) => ({ wanted: preset, problem: null })),
    wantSteps: assign(({ context: { range } }, { period }: { period: UsagePeriod }) => ({
      wanted: range && { ...range, period },
      problem: null,
    })),
    wantDays: assign(({ context }, days: Days) => ({ wanted: chosenDays(context, days), problem: null })),
    forgetProblem: assign({ problem: null }),
    keepProblem: assign(({ context }, days: Days) => ({ problem: daysProblem(context, days) })),
    decide: assign(({ context }, { today }: { today: string }) => decided(context, today)),
    keepUsage: assign((_, { usage }: { usage: Usage }) => ({ usage, failure: null, pointed: null })),
    keepFailure: assign(failureOf),
    keepMeasure: assign((_, { measure }: { measure: Measure }) => ({ measure })),
    keepPointed: assign((_, { index }: { index: number | null }) => ({ pointed: index })),
    announce: announce<NavigateRequested>(),
  },
}).createMachine({
  id: 'usage',
  context: ({ input }) => ({
    ...input,
    ...undecided,
    steps: USAGE_PERIODS,
    usage: null,
    failure: null,
    measure: 'requests',
    pointed: null,
  }),
  initial: 'loading',
  on: {
    'route.changed': { guard: given('isOther'), target: '.loading', actions: given('adoptView') },
    'preset.chosen': { target: '.loading', actions: given('wantPreset') },
    'period.chosen': { guard: given('isInSteps'), target: '.loading', actions: given('wantSteps') },
    // What was wrong with the days is being mended.
    'days.edited': { actions: 'forgetProblem' },
    'days.submitted': [
      { guard: given('isPeriod'), target: '.loading', actions: given('wantDays') },
      { actions: given('keepProblem') },
    ],
  },
  states: {
    loading: {
      tags: 'loading',
      initial: 'dating',
      states: {
        dating: {
          invoke: {
            id: 'readToday',
            src: 'readToday',
            onDone: [
              {
                guard: 'isChosenForAddress',
                target: 'fetching',
                actions: [
                  { type: 'decide', params: ({ event }) => ({ today: event.output }) },
                  {
                    type: 'announce',
                    params: ({ context }) => ({ type: 'navigate.requested', to: routeShowing(context) }),
                  },
                ],
              },
              { target: 'fetching', actions: { type: 'decide', params: ({ event }) => ({ today: event.output }) } },
            ],
            onError: { target: '#usage.failed', actions: given('keepFailure') },
          },
        },
        fetching: {
          invoke: {
            id: 'loadUsage',
            src: 'loadUsage',
            input: ({ context: { scope, chart, view, range, today } }) => ({
              scope,
              chart,
              range: range ?? shownRange(view, today ?? ''),
            }),
            onDone: {
              target: '#usage.shown',
              actions: { type: 'keepUsage', params: ({ event }) => ({ usage: event.output }) },
            },
            onError: { target: '#usage.failed', actions: given('keepFailure') },
          },
        },
      },
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
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
            'measure.chosen': { actions: given('keepMeasure') },
            'bar.pointed': { actions: given('keepPointed') },
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
