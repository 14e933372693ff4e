// Models how an organization stands with money: what is left, what a period cost that the address tells, and how it pays.
// Owned by the workspace while that screen is open.
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import type { BillingOverview } from '#contract/billing.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import { type Failure, failureOf } from '../../../shared/failure.ts';
import { given, givenOutput } from '../../../shared/given.ts';
import { announce, type NavigateRequested } from '../../../shared/residents.ts';
import type { BillingOverviewRoute, DaysView, Route, RouteChanged } from '../../../shared/route.ts';
import { UNREAD } from '../../../shared/unread.ts';
import type { ScreenStale } from '../../stale.ts';
import {
  adopted,
  chosenDays,
  dated,
  daysProblem,
  decided,
  undecided,
  type Days,
  type PeriodContext,
  type PeriodEvent,
} from '../../usage/period.ts';
import { isSameView, shownRange, type Preset } from '../../usage/range.ts';
import { paymentMachine, type PaymentTold } from '../payment/machine.ts';
import { loadOverview, readToday } from './actors.ts';

type Input = {
  orgUuid: string;
  view: DaysView;
  /** The payment that the address says somebody comes back from. */
  attempt: string | null;
};

export type OverviewContext = PeriodContext & {
  orgUuid: string;
  attempt: string | null;
  overview: BillingOverview | null;
  failure: Failure | null;
};

/** A sum over days has no steps. */
const STEPS: readonly UsagePeriod[] = ['daily'];

const isOverview = (route: Route): route is BillingOverviewRoute => route.screen === 'billingOverview';

/** Where the period is shown. */
function routeShowing({ orgUuid, view, attempt }: OverviewContext): BillingOverviewRoute {
  const { period: _, ...days } = dated(view);
  return { screen: 'billingOverview', orgUuid, ...days, ...(attempt === null ? {} : { attempt }) };
}

export const overviewMachine = setup({
  types: {} as {
    context: OverviewContext;
    input: Input;
    events: RouteChanged | { type: 'retry.requested' } | PeriodEvent | ScreenStale | PaymentTold;
    tags: 'loading' | 'failed' | 'outdated';
    children: { payment: 'payment'; readToday: 'readToday'; loadOverview: 'loadOverview' };
  },
  actors: { readToday, loadOverview, payment: paymentMachine },
  guards: {
    isOther: ({ context }, { route }: { route: Route }) => isOverview(route) && !isSameView(route, context.view),
    isChosen: ({ context: { wanted } }) => wanted !== null,
    isPeriod: ({ context }, days: Days) => daysProblem(context, days) === null,
  },
  actions: {
    adoptView: assign((_, { route }: { route: Route }) => (isOverview(route) ? adopted(route) : {})),
    keepAttempt: assign((_, { route }: { route: Route }) =>
      isOverview(route) ? { attempt: route.attempt ?? null } : {},
    ),
    forgetAttempt: assign({ attempt: null }),
    passToPayment: sendTo('payment', (_, told: RouteChanged | ScreenStale) => told),
    wantPreset: assign((_, { preset }: { preset: Preset }) => ({ wanted: preset, problem: null })),
    wantDays: assign(({ context }, days: Days) => ({ wanted: chosenDays(context, days), problem: null })),
    forgetProblem: assign({ problem: null }),
    keepProblem: assign(({ context }, days: Days) => ({ problem: daysProblem(context, days) })),
    decide: assign(({ context }, { today }: { today: string }) => decided(context, today)),
    keepOverview: assign((_, overview: BillingOverview) => ({ overview, failure: null })),
    keepFailure: assign(failureOf),
    announce: announce<NavigateRequested>(),
  },
}).createMachine({
  id: 'billingOverview',
  context: ({ input }) => ({
    ...undecided,
    ...input,
    steps: STEPS,
    overview: null,
    failure: null,
  }),
  invoke: {
    id: 'payment',
    src: 'payment',
    input: ({ context: { orgUuid, attempt } }) => ({ orgUuid, kind: 'payment', shown: attempt }),
  },
  initial: 'loading',
  on: {
    'route.changed': [
      {
        guard: given('isOther'),
        target: '.loading',
        actions: [given('adoptView'), given('keepAttempt'), given('passToPayment')],
      },
      { actions: [given('keepAttempt'), given('passToPayment')] },
    ],
    'payment.dismissed': {
      actions: [
        'forgetAttempt',
        {
          type: 'announce',
          params: ({ context }) => ({ type: 'navigate.requested', to: routeShowing(context), replace: true }),
        },
      ],
    },
    'preset.chosen': { target: '.loading', actions: given('wantPreset') },
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
      on: { 'screen.stale': { actions: given('passToPayment') } },
      states: {
        dating: {
          invoke: {
            id: 'readToday',
            src: 'readToday',
            onDone: [
              {
                guard: 'isChosen',
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
            onError: { target: '#billingOverview.failed', actions: given('keepFailure') },
          },
        },
        fetching: {
          // What is told meanwhile may be newer than the answer that is under way.
          on: {
            'screen.stale': { target: 'fetching', reenter: true, actions: given('passToPayment') },
            'payment.ended': { target: 'fetching', reenter: true },
          },
          invoke: {
            id: 'loadOverview',
            src: 'loadOverview',
            input: ({ context }) => ({ orgUuid: context.orgUuid, days: shownDays(context) }),
            onDone: { target: '#billingOverview.shown', actions: givenOutput('keepOverview') },
            onError: { target: '#billingOverview.failed', actions: given('keepFailure') },
          },
        },
      },
    },
    failed: {
      tags: 'failed',
      meta: UNREAD,
      on: { 'retry.requested': 'loading', 'screen.stale': { actions: given('passToPayment') } },
    },
    shown: {
      initial: 'current',
      on: {
        'screen.stale': { target: '.rereading', actions: given('passToPayment') },
        'payment.ended': '.rereading',
      },
      states: {
        current: {},
        // What was read before stays until the answer is there.
        rereading: {
          invoke: {
            id: 'loadOverview',
            src: 'loadOverview',
            input: ({ context }) => ({ orgUuid: context.orgUuid, days: shownDays(context) }),
            onDone: { target: 'current', actions: givenOutput('keepOverview') },
            onError: { target: 'outdated', actions: given('keepFailure') },
          },
        },
        outdated: { tags: 'outdated', meta: UNREAD, on: { 'retry.requested': 'rereading' } },
      },
    },
  },
});

function shownDays({ view, range, today }: OverviewContext): Days {
  const { start_date, end_date } = range ?? shownRange(view, today ?? '', STEPS);
  return { start_date, end_date };
}

/** The input of the chart that a route names. */
export const overviewInput = (route: Route): Input => {
  if (!isOverview(route)) throw new Error('The route names no billing overview.');
  return { orgUuid: route.orgUuid, view: dated(route), attempt: route.attempt ?? null };
};

export type OverviewActor = ActorRefFrom<typeof overviewMachine>;
