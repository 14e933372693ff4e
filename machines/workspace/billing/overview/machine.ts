// Models the billing overview of an organization: its balance, the costs of the period in the address, and payments.
// Owned by the workspace, while its screen is open.
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import type { BillingOverview } from '#contract/billing.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import type { BillingOverviewRoute, DaysView, Route, RouteChanged } from '../../../shared/route.ts';
import { UNREAD } from '../../../shared/unread.ts';
import type { ScreenStale } from '../../stale.ts';
import { overPeriod } from '../../usage/overPeriod.ts';
import { periodView, daysShown, undecided, type PeriodContext, type PeriodEvent } from '../../usage/period.ts';
import { paymentMachine, type PaymentNotice } from '../payment/machine.ts';
import { loadOverview, readToday } from './actors.ts';

type Input = {
  orgUuid: string;
  view: DaysView;
  /** The payment in the address, from which the person returns. */
  attempt: string | null;
};

export type OverviewContext = PeriodContext & {
  orgUuid: string;
  attempt: string | null;
  /** Without the failed payment that was dismissed. */
  overview: BillingOverview | null;
  /** The failed payment that was dismissed last. */
  dismissed: string | null;
};

/** The overview has sums only; its period has the limits of daily steps. */
const STEPS: readonly UsagePeriod[] = ['daily'];

const isOverview = (route: Route): route is BillingOverviewRoute => route.screen === 'billingOverview';

const address = ({ orgUuid, view, attempt }: OverviewContext): BillingOverviewRoute => ({
  screen: 'billingOverview',
  orgUuid,
  ...view,
  ...(attempt === null ? {} : { attempt }),
});

/** The overview, without this payment among the failed. */
const without = (dismissed: string | null, overview: BillingOverview): BillingOverview =>
  overview.failed?.uuid === dismissed ? { ...overview, failed: null } : overview;

const period = overPeriod({
  id: 'billingOverview',
  isShown: isOverview,
  address,
  load: 'loadOverview',
  request: (context: OverviewContext) => ({ orgUuid: context.orgUuid, days: daysShown(context) }),
});
const { dating, fetching } = period.loading.states;

export const overviewMachine = setup({
  types: {} as {
    context: OverviewContext;
    input: Input;
    events: RouteChanged | { type: 'retry.requested' } | PeriodEvent | ScreenStale | PaymentNotice;
    tags: 'loading' | 'failed' | 'outdated';
    children: { payment: 'payment'; readToday: 'readToday'; loadOverview: 'loadOverview' };
  },
  actors: { readToday, loadOverview, payment: paymentMachine },
  guards: period.guards,
  actions: {
    ...period.actions,
    setAttempt: assign((_, { route }: { route: Route }) =>
      isOverview(route) ? { attempt: route.attempt ?? null } : {},
    ),
    clearAttempt: assign({ attempt: null }),
    passToPayment: sendTo('payment', (_, event: RouteChanged | ScreenStale) => event),
    dismiss: assign(({ context: { overview, dismissed } }, { failed }: { failed: string | null }) => ({
      dismissed: failed ?? dismissed,
      overview: overview && without(failed, overview),
    })),
    setFigures: assign(({ context: { dismissed } }, overview: BillingOverview) => ({
      overview: without(dismissed, overview),
      failure: null,
    })),
  },
}).createMachine({
  id: 'billingOverview',
  context: ({ input }) => ({
    ...undecided,
    ...input,
    steps: STEPS,
    overview: null,
    dismissed: null,
  }),
  invoke: {
    id: 'payment',
    src: 'payment',
    input: ({ context: { orgUuid, attempt } }) => ({ orgUuid, kind: 'payment', attemptInAddress: attempt }),
  },
  initial: 'loading',
  on: {
    ...period.on,
    'route.changed': [
      {
        guard: withEvent('isOther'),
        target: '.loading',
        actions: [withEvent('adoptView'), withEvent('setAttempt'), withEvent('passToPayment')],
      },
      { actions: [withEvent('setAttempt'), withEvent('passToPayment')] },
    ],
    'payment.dismissed': {
      actions: [
        'clearAttempt',
        withEvent('dismiss'),
        {
          type: 'sendToApp',
          params: ({ context }) => ({ type: 'navigate.requested', to: address(context), replace: true }),
        },
      ],
    },
  },
  states: {
    loading: {
      ...period.loading,
      on: { 'screen.stale': { actions: withEvent('passToPayment') } },
      states: {
        dating,
        fetching: {
          ...fetching,
          // The change may be newer than the answer under way.
          on: {
            'screen.stale': { target: 'fetching', reenter: true, actions: withEvent('passToPayment') },
            'payment.ended': { target: 'fetching', reenter: true },
          },
        },
      },
    },
    failed: {
      ...period.failed,
      on: {
        ...period.failed.on,
        'screen.stale': { target: 'loading', actions: withEvent('passToPayment') },
        'payment.ended': 'loading',
      },
    },
    shown: {
      initial: 'current',
      on: {
        'screen.stale': { target: '.rereading', actions: withEvent('passToPayment') },
        'payment.ended': '.rereading',
      },
      states: {
        current: {},
        // The old figures stay until the answer comes.
        rereading: {
          invoke: {
            ...fetching.invoke,
            onDone: { target: 'current', actions: withOutput('setFigures') },
            onError: { target: 'outdated', actions: withEvent('setFailure') },
          },
        },
        outdated: { tags: 'outdated', meta: UNREAD, on: { 'retry.requested': 'rereading' } },
      },
    },
  },
});

/** The chart's input from its route. */
export const overviewInput = (route: Route): Input => {
  if (!isOverview(route)) throw new Error('The route is not the billing overview.');
  return { orgUuid: route.orgUuid, view: periodView(route), attempt: route.attempt ?? null };
};

export type OverviewActor = ActorRefFrom<typeof overviewMachine>;
