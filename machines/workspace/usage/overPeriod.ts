// Parts shared by charts over a period of days: choosing the period, writing it into the address, reading the figures.
import { assign } from 'xstate';
import type { UsagePeriod } from '#contract/usage.ts';
import { toFailure } from '../../shared/failure.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import type { Navigate, Route, UsageView } from '../../shared/route.ts';
import { reading } from '../../shared/loaded.ts';
import { UNREAD } from '../../shared/unread.ts';
import {
  areOtherDays,
  badAddress,
  chosenDays,
  periodView,
  daysProblem,
  decided,
  mayStep,
  type Days,
  type PeriodContext,
} from './period.ts';
import { inFittingSteps, isSameView, type Preset } from './range.ts';

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

/** Nothing is typed. */
const SETTLED = { typed: null, problem: null };

/** Takes typed days along. Wrong ones stay to be corrected. */
function stepsWanted(context: PeriodContext, { period }: { period: UsagePeriod }): Partial<PeriodContext> {
  const { range, typed, steps } = context;
  if (range === null) return SETTLED;
  if (typed !== null && daysProblem(context, typed) !== null) return { wanted: { ...range, period } };
  return { ...SETTLED, wanted: inFittingSteps({ ...range, ...typed }, period, steps) };
}

const ACTIONS = {
  wantPreset: assignPeriod((_, { preset }: { preset: Preset }) => ({ ...SETTLED, wanted: preset })),
  wantSteps: assignPeriod(stepsWanted),
  wantDays: assignPeriod((context, days: Days) => ({ ...SETTLED, wanted: chosenDays(context, days) })),
  noteDays: assignPeriod((_, { start_date, end_date }: Days) => ({ typed: { start_date, end_date }, problem: null })),
  dropDays: assignPeriod(() => SETTLED),
  setProblem: assignPeriod((context, days: Days) => ({ problem: daysProblem(context, days) })),
  decide: assignPeriod(decided),
  setFailure: assignPeriod((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
  sendToApp: sendToApp<NavigateRequested>(),
};

const ON = {
  'route.changed': { guard: withEvent('isOther'), target: '.loading', actions: withEvent('adoptView') },
  'preset.chosen': { target: '.loading', actions: withEvent('wantPreset') },
  'days.edited': { actions: withEvent('noteDays') },
  'days.dropped': { actions: 'dropDays' },
  'days.submitted': [
    { guard: withEvent('isPeriod'), target: '.loading', actions: withEvent('wantDays') },
    { guard: withEvent('isNoPeriod'), actions: withEvent('setProblem') },
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
  /** Decides the period, and writes it into the address. */
  const deciding = (how: { replace?: true } = {}) =>
    [
      withOutput('decide'),
      {
        type: 'sendToApp',
        params: ({ context }: { context: Context }): NavigateRequested => ({
          type: 'navigate.requested',
          to: address(context),
          ...how,
        }),
      },
    ] as const;
  const dating = {
    invoke: {
      id: 'readToday',
      src: 'readToday',
      onDone: [
        { guard: 'isChosen', target: 'fetching', actions: deciding() },
        { guard: withOutput('isBad'), target: 'fetching', actions: deciding({ replace: true }) },
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
      /** The address is replaced by that of what is shown. */
      isBad: ({ context }: { context: Context }, today: string) => badAddress(context, today) !== null,
      isInSteps: ({ context }: { context: Context }, { period }: { period: UsagePeriod }) => mayStep(context, period),
      isPeriod: ({ context }: { context: Context }, days: Days) =>
        daysProblem(context, days) === null && areOtherDays(context, days),
      isNoPeriod: ({ context }: { context: Context }, days: Days) => daysProblem(context, days) !== null,
    },
    actions: {
      ...ACTIONS,
      adoptView: assignPeriod((_, { route }: { route: Route }) =>
        isShown(route) ? { ...SETTLED, view: viewOf(route), bad: null, wanted: null } : {},
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
