// Parts shared by charts over a period of days: choosing the period, writing it into the address, reading the figures.
import { assign } from 'xstate';
import type { UsagePeriod } from '#contract/usage.ts';
import { toFailure } from '../../shared/failure.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import type { Navigate, Route, UsageView } from '../../shared/route.ts';
import { reading } from '../../shared/loaded.ts';
import { UNREAD } from '../../shared/unread.ts';
import { chosenDays, periodView, daysProblem, decided, mayStep, type Days, type PeriodContext } from './period.ts';
import { isSameView, type Preset } from './range.ts';

/** What {@link overPeriod} needs to know of a chart. */
type Options<Id, Load, Context extends PeriodContext, Shown extends Route & UsageView, Request> = {
  id: Id;
  isShown: (route: Route) => route is Shown;
  /** The route with the chosen period. */
  address: (context: Context) => Navigate['to'];
  /** Id of the actor that reads the figures, and its input. */
  load: Load;
  request: (context: Context) => Request;
  /** The view in a route, and whether it equals another; only for views with more than a period. */
  viewOf?: (route: Shown) => Context['view'];
  isSame?: (one: Shown, other: Context['view']) => boolean;
};

/** `assign` for the shared part of the charts' contexts. */
function assignPeriod<Params = undefined>(change: (context: PeriodContext, params: Params) => Partial<PeriodContext>) {
  const action = assign(({ context }: { context: PeriodContext }, params: Params) => change(context, params));
  // Built-in actions carry a chart's whole type, which is unknown here; `setup` needs only context and parameters.
  return action as unknown as (scope: { context: PeriodContext }, params: Params) => void;
}

const ACTIONS = {
  wantPreset: assignPeriod((_, { preset }: { preset: Preset }) => ({ wanted: preset, problem: null })),
  wantSteps: assignPeriod(({ range }, { period }: { period: UsagePeriod }) => ({
    wanted: range && { ...range, period },
    problem: null,
  })),
  wantDays: assignPeriod((context, days: Days) => ({ wanted: chosenDays(context, days), problem: null })),
  clearProblem: assignPeriod(() => ({ problem: null })),
  setProblem: assignPeriod((context, days: Days) => ({ problem: daysProblem(context, days) })),
  decide: assignPeriod(decided),
  setFailure: assignPeriod((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
  sendToApp: sendToApp<NavigateRequested>(),
};

const ON = {
  'route.changed': { guard: withEvent('isOther'), target: '.loading', actions: withEvent('adoptView') },
  'preset.chosen': { target: '.loading', actions: withEvent('wantPreset') },
  // The person is correcting the days.
  'days.edited': { actions: 'clearProblem' },
  'days.submitted': [
    { guard: withEvent('isPeriod'), target: '.loading', actions: withEvent('wantDays') },
    { actions: withEvent('setProblem') },
  ],
} as const;

/**
 * Makes parts for the chart `id`, which has states `loading`, `failed` and `shown`, and an action `setFigures` for what
 * was read. A choice on the screen goes into the address once today's date is known.
 */
export function overPeriod<
  const Id extends string,
  const Load extends string,
  Context extends PeriodContext,
  Shown extends Route & UsageView,
  Request,
>({
  id,
  isShown,
  address,
  load,
  request,
  viewOf = periodView,
  isSame = isSameView,
}: Options<Id, Load, Context, Shown, Request>) {
  const onError = { target: `#${id}.failed`, actions: withEvent('setFailure') } as const;
  const shown = { target: `#${id}.shown`, actions: withOutput('setFigures') } as const;
  const fetching = { invoke: reading(load, request, `#${id}.failed`, shown) } as const;
  const dating = {
    invoke: {
      id: 'readToday',
      src: 'readToday',
      onDone: [
        {
          guard: 'isChosen',
          target: 'fetching',
          actions: [
            withOutput('decide'),
            {
              type: 'sendToApp',
              params: ({ context }: { context: Context }): NavigateRequested => ({
                type: 'navigate.requested',
                to: address(context),
              }),
            },
          ],
        },
        { target: 'fetching', actions: withOutput('decide') },
      ],
      onError,
    },
  } as const;
  return {
    guards: {
      isOther: ({ context }: { context: Context }, { route }: { route: Route }) =>
        isShown(route) && !isSame(route, context.view),
      isChosen: ({ context: { wanted } }: { context: Context }) => wanted !== null,
      isInSteps: ({ context }: { context: Context }, { period }: { period: UsagePeriod }) => mayStep(context, period),
      isPeriod: ({ context }: { context: Context }, days: Days) => daysProblem(context, days) === null,
    },
    actions: {
      ...ACTIONS,
      adoptView: assignPeriod((_, { route }: { route: Route }) =>
        isShown(route) ? { view: viewOf(route), problem: null, wanted: null } : {},
      ),
    },
    on: ON,
    /** For charts with several lengths of steps. */
    inSteps: {
      'period.chosen': { guard: withEvent('isInSteps'), target: '.loading', actions: withEvent('wantSteps') },
    } as const,
    loading: { tags: 'loading', initial: 'dating', states: { dating, fetching } } as const,
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } } as const,
  };
}
