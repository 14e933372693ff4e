// Models how an organization pays: payment method, autopay, the error of the last charge, and the billing details.
// Owned by the workspace, while its screen is open.
import { assign, raise, sendTo, setup, type ActorRefFrom } from 'xstate';
import type { BillingSettings, PaymentAttempt } from '#contract/billing.ts';
import type { PaymentStatus } from '#contract/paying.ts';
import { type Failure, failureOf } from '../../../shared/failure.ts';
import { draftOf, type Draft } from '../../../shared/form/drafts.ts';
import { formEnds, formGuards, givenAnswer } from '../../../shared/form/ends.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { sendToApp, type NavigateRequested, type ToastRequested } from '../../../shared/appServices.ts';
import type { PlacedRoute, Route, RouteChanged } from '../../../shared/route.ts';
import { reading } from '../../../shared/loaded.ts';
import { UNREAD } from '../../../shared/unread.ts';
import type { ScreenStale } from '../../stale.ts';
import { autopayFields, autopayForm } from '../autopay/form.ts';
import { paymentMachine, type PaymentNotice } from '../payment/machine.ts';
import { loadPaying, removeMethod, resetError, type Paying } from './actors.ts';
import { billingDetailsForm } from './form.ts';
import { chargeOf, isCharging, isPutOff } from './retry.ts';
import { sayAutopay } from './said.ts';
import { failure, success } from '../../say.ts';

type Input = {
  orgUuid: string;
  /** The setup in the address, from which the person returns. */
  attempt: string | null;
  /** Input from before the session ended. */
  drafts: readonly Draft[];
};

type SetupContext = Input & {
  paying: Paying | null;
  failure: Failure | null;
  /** The charge that follows a reset, unless it has brought an error. */
  charge: PaymentAttempt | null;
  /** The version of the error that the charge brought. */
  retried: string | null;
};

type SetupRoute = PlacedRoute<'paymentSetup'>;
const isSetup = (route: Route): route is SetupRoute => route.screen === 'paymentSetup';

const setupPaying = setup({
  types: {} as {
    context: SetupContext;
    input: Input;
    events:
      | RouteChanged
      | ScreenStale
      | PaymentNotice
      | { type: 'retry.requested' }
      | { type: 'removal.requested' }
      | { type: 'removal.confirmed' }
      | { type: 'removal.declined' }
      | { type: 'reset.requested' }
      /** Raised for the region `source`. */
      | { type: 'paying.changed' };
    tags: 'loading' | 'failed' | 'outdated' | 'asking' | 'removing' | 'resetting' | 'retrying';
    children: {
      payment: 'payment';
      loadPaying: 'loadPaying';
      removeMethod: 'removeMethod';
      resetError: 'resetError';
      autopayForm: 'autopayForm';
      detailsForm: 'detailsForm';
    };
  },
  actors: {
    payment: paymentMachine,
    loadPaying,
    removeMethod,
    resetError,
    autopayForm,
    detailsForm: billingDetailsForm,
  },
  guards: {
    ...formGuards,
    hasMethod: ({ context }) => context.paying?.status.method != null,
    hasError: ({ context }) => context.paying?.status.error != null,
    isRetrying: (_, { attempt }: PaymentStatus) => isCharging(attempt),
    hasPaid: ({ context }) => chargeOf(context)?.state === 'succeeded',
    isPutOff: ({ context }) => isPutOff(context),
    hasEnded: ({ context }) => !isCharging(chargeOf(context)),
  },
  actions: {
    setPaying: assign((_, paying: Paying) => ({ paying, failure: null })),
    setStatus: assign(({ context: { paying } }, status: PaymentStatus) => ({
      paying: paying && { ...paying, status },
    })),
    setSettings: assign(({ context: { paying } }, settings: BillingSettings) => ({
      paying: paying && { ...paying, settings },
    })),
    passSettings: sendTo('autopayForm', (_, { settings }: Paying) => ({
      type: 'source.changed' as const,
      initial: autopayFields(settings.autopay),
    })),
    passDetails: sendTo('detailsForm', (_, { settings }: Paying) => ({
      type: 'source.changed' as const,
      initial: settings.details,
    })),
    passToPayment: sendTo('payment', (_, event: RouteChanged | ScreenStale) => event),
    /** The method of a setup that has ended is gone. */
    dismissOutcome: sendTo('payment', { type: 'outcome.dismissed' }),
    setFailure: assign(failureOf),
    clearDrafts: assign({ drafts: [] }),
    sayChanged: raise({ type: 'paying.changed' }),
    sendToApp: sendToApp<NavigateRequested | ToastRequested>(),
    setCharge: assign((_, { attempt }: PaymentStatus) => ({ charge: attempt, retried: null })),
    noteRetried: assign(({ context: { paying } }) => ({
      charge: null,
      retried: paying?.status.error?.version ?? null,
    })),
  },
});

const REMOVED = 'Success! Payment method was removed.';
const PUT_OFF: ToastRequested = {
  ...({ type: 'toast.requested', kind: 'notice' } as const),
  text: 'Autopay has not charged yet; it tries again later.',
};

const placeOf = ({ orgUuid }: SetupContext) => ({ orgUuid });

/** Reads the forms' initial values again when they may have changed; typed values stay (CON-30). */
const source = setupPaying.createStateConfig({
  initial: 'known',
  on: {
    'screen.stale': { target: '.reading', actions: withEvent('passToPayment') },
    'payment.ended': '.reading',
    'paying.changed': '.reading',
  },
  states: {
    known: {},
    reading: {
      invoke: reading('loadPaying', placeOf, 'outdated', {
        target: 'known',
        actions: [withOutput('setPaying'), withOutput('passSettings'), withOutput('passDetails')],
      }),
    },
    outdated: { tags: 'outdated', meta: UNREAD, on: { 'retry.requested': 'reading' } },
  },
});

const removal = setupPaying.createStateConfig({
  initial: 'closed',
  states: {
    closed: { on: { 'removal.requested': { guard: 'hasMethod', target: 'asking' } } },
    asking: { tags: 'asking', on: { 'removal.confirmed': 'removing', 'removal.declined': 'closed' } },
    removing: {
      tags: 'removing',
      invoke: {
        id: 'removeMethod',
        src: 'removeMethod',
        input: ({ context }) => placeOf(context),
        onDone: {
          target: 'closed',
          actions: [withOutput('setStatus'), 'sayChanged', 'dismissOutcome', success(REMOVED)],
        },
        onError: { target: 'closed', actions: failure('The payment method was not removed.') },
      },
    },
  },
});

const reset = setupPaying.createStateConfig({
  initial: 'idle',
  states: {
    idle: { on: { 'reset.requested': { guard: 'hasError', target: 'resetting' } } },
    resetting: {
      tags: 'resetting',
      invoke: {
        id: 'resetError',
        src: 'resetError',
        // Resets only the error that was read.
        input: ({ context: { orgUuid, paying } }) => ({ orgUuid, version: paying?.status.error?.version ?? '' }),
        onDone: [
          {
            guard: withOutput('isRetrying'),
            target: 'retrying',
            actions: [withOutput('setStatus'), withOutput('setCharge'), 'sayChanged'],
          },
          {
            target: 'idle',
            actions: [withOutput('setStatus'), 'sayChanged', success('Success! Payment error was reset.')],
          },
        ],
        // There may be another error by now, or none.
        onError: { target: 'idle', actions: [failure('The payment error was not reset.'), 'sayChanged'] },
      },
    },
    // `source` reads the result of the charge, which is the result of the reset.
    retrying: {
      tags: 'retrying',
      always: [
        { guard: 'hasError', target: 'idle', actions: 'noteRetried' },
        { guard: 'hasPaid', target: 'idle', actions: success('Success! Autopay has charged your payment method.') },
        { guard: 'isPutOff', target: 'idle', actions: { type: 'sendToApp', params: PUT_OFF } },
        { guard: 'hasEnded', target: 'idle' },
      ],
    },
  },
});

const autopay = setupPaying.createStateConfig({
  initial: 'open',
  states: {
    // Below its region, so that re-entering it does not restart the other regions.
    open: {
      invoke: {
        id: 'autopayForm',
        src: 'autopayForm',
        input: ({ context: { orgUuid, paying, drafts } }) => ({
          about: { orgUuid },
          initial: paying ? autopayFields(paying.settings.autopay) : {},
          draft: draftOf(drafts, autopayForm.id, { orgUuid }),
        }),
        onDone: formEnds(
          {
            target: 'open',
            reenter: true,
            actions: ['clearDrafts', sayAutopay, givenAnswer('setSettings'), 'sayChanged'],
          },
          { target: 'open', reenter: true },
        ),
      },
    },
  },
});

const details = setupPaying.createStateConfig({
  initial: 'open',
  states: {
    // Below its region, so that re-entering it does not restart the other regions.
    open: {
      invoke: {
        id: 'detailsForm',
        src: 'detailsForm',
        input: ({ context: { orgUuid, paying, drafts } }) => ({
          about: { orgUuid },
          initial: paying?.settings.details ?? {},
          draft: draftOf(drafts, billingDetailsForm.id, { orgUuid }),
        }),
        onDone: formEnds(
          {
            target: 'open',
            reenter: true,
            actions: ['clearDrafts', givenAnswer('setSettings'), success('Success! Billing details were saved.')],
          },
          { target: 'open', reenter: true },
        ),
      },
    },
  },
});

export const paymentSetupMachine = setupPaying.createMachine({
  id: 'paymentSetup',
  context: ({ input }) => ({ ...input, paying: null, failure: null, charge: null, retried: null }),
  invoke: {
    id: 'payment',
    src: 'payment',
    input: ({ context: { orgUuid, attempt } }) => ({ orgUuid, kind: 'setup', attemptInAddress: attempt }),
  },
  on: {
    'route.changed': { actions: withEvent('passToPayment') },
    'payment.dismissed': {
      actions: {
        type: 'sendToApp',
        params: ({ context: { orgUuid } }) => ({
          type: 'navigate.requested',
          to: { screen: 'paymentSetup', orgUuid },
          replace: true,
        }),
      },
    },
  },
  initial: 'loading',
  states: {
    loading: {
      tags: 'loading',
      on: {
        'screen.stale': { target: 'loading', reenter: true, actions: withEvent('passToPayment') },
        'payment.ended': { target: 'loading', reenter: true },
      },
      invoke: reading('loadPaying', placeOf, 'failed', { target: 'ready', actions: withOutput('setPaying') }),
    },
    failed: {
      tags: 'failed',
      meta: UNREAD,
      on: {
        'retry.requested': 'loading',
        'screen.stale': { target: 'loading', actions: withEvent('passToPayment') },
        'payment.ended': 'loading',
      },
    },
    ready: {
      type: 'parallel',
      states: { source, removal, reset, autopay, details },
    },
  },
});

/** The chart's input from its route. */
export const setupInput = (route: Route, drafts: readonly Draft[]): Input => {
  if (!isSetup(route)) throw new Error('The route is not the payment setup.');
  return { orgUuid: route.orgUuid, attempt: route.attempt ?? null, drafts };
};

export type PaymentSetupActor = ActorRefFrom<typeof paymentSetupMachine>;
