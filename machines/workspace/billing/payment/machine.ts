// Models a payment into the balance, or the setup of a payment method, on the payment provider's page: choosing the
// amount, going to the page and, after the return, polling the attempt until it ends.
// Owned by the billing overview (payment) and by the payment setup (setup), while they are open.
import { assign, enqueueActions, sendTo, setup, type ActorRefFrom } from 'xstate';
import type { PaymentAttempt, PaymentState } from '#contract/billing.ts';
import { failureOf, isGone, toFailure } from '../../../shared/failure.ts';
import { formEnds, formGuards, givenAnswer } from '../../../shared/form/ends.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { notifyParent } from '../../../shared/notifyParent.ts';
import type { Route, RouteChanged } from '../../../shared/route.ts';
import { UNREAD } from '../../../shared/unread.ts';
import type { ScreenStale } from '../../stale.ts';
import { usdText } from '../amount.ts';
import { attemptMemory, leavePage, openPage, readAttempt, takeAttempt } from './actors.ts';
import { attemptIn, attemptOf, attemptRef, wantedOf, type PaymentContext, type PaymentInput } from './context.ts';
import { amountForm } from './form.ts';

/**
 * `ended`: the balance may have changed. `dismissed`: remove the attempt from the address; `failed` names it if it has
 * failed, because the person knows that now. A setup that has ended is told of once, without a reload.
 */
export type PaymentNotice = { type: 'payment.ended' } | { type: 'payment.dismissed'; failed: string | null };

const dismissal = ({ status }: PaymentContext): PaymentNotice => ({
  type: 'payment.dismissed',
  failed: status?.state === 'failed' ? status.uuid : null,
});

/** Reads of the state before the person learns that it takes longer: about a minute. */
export const READS_MAX = 24;
/** The first reads follow quickly, the others every SLOW_MS. */
const QUICK = { reads: 6, ms: 1000 };
const SLOW_MS = 3000;

const setupPayment = setup({
  types: {} as {
    context: PaymentContext;
    input: PaymentInput;
    events:
      | RouteChanged
      | ScreenStale
      | { type: 'begin.requested' }
      | { type: 'amount.confirmed' }
      | { type: 'amount.revised' }
      | { type: 'dialog.dismissed' }
      | { type: 'check.requested' }
      | { type: 'retry.requested' }
      | { type: 'page.requested' }
      | { type: 'outcome.dismissed' };
    tags: 'dialog' | 'confirming' | 'leaving' | 'following' | 'overdue' | 'readFailed' | 'unknown' | PaymentState;
    children: {
      amountForm: 'amountForm';
      takeAttempt: 'takeAttempt';
      attemptMemory: 'attemptMemory';
      openPage: 'openPage';
      leavePage: 'leavePage';
      readAttempt: 'readAttempt';
    };
  },
  actors: { amountForm, takeAttempt, attemptMemory, openPage, leavePage, readAttempt },
  delays: {
    poll: ({ context }) => (context.reads < QUICK.reads ? QUICK.ms : SLOW_MS),
    // The provider's page is slow, or the person chose to stay when the browser asked about unsaved input.
    stuck: 20_000,
  },
  guards: {
    ...formGuards,
    isSetup: ({ context }) => context.kind === 'setup',
    isAttemptInAddress: ({ context }) => context.attemptInAddress !== null,
    isOtherAttempt: ({ context }, { route }: { route: Route }) =>
      attemptIn(route) !== null && attemptIn(route) !== context.attemptInAddress,
    isAttemptGone: ({ context }, { route }: { route: Route }) =>
      attemptIn(route) === null && context.attemptInAddress !== null,
    isEnded: (_, { error }: { error: unknown }) => toFailure(error).errorType === 'payment_ended',
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    isIn: ({ context }, { state }: { state: PaymentState }) => context.status?.state === state,
    isUnsuccessful: (_, { state }: PaymentAttempt) => state === 'failed' || state === 'canceled',
    /** Whether the provider's page is still open for this attempt, and its kind is that of this chart. */
    hasPage: ({ context: { status, kind } }) =>
      status?.state === 'open' && (status.kind === 'setup') === (kind === 'setup'),
    isPatient: ({ context }) => context.reads < READS_MAX,
  },
  actions: {
    adoptAttempt: assign((_, { route }: { route: Route }) => ({
      attemptInAddress: attemptIn(route),
      attempt: attemptIn(route),
      status: null,
      failure: null,
    })),
    clearAttempt: assign({ attemptInAddress: null, attempt: null, status: null, failure: null }),
    setAmount: assign((_, amountMicros: number) => ({ amountMicros })),
    setAttempt: assign((_, attempt: string) => ({ attempt })),
    setEndedAttempt: assign(({ context }) => ({ endedAttempt: context.attempt })),
    setUrl: assign((_, url: string) => ({ url })),
    setStatus: assign(({ context }, status: PaymentAttempt) => ({
      status,
      reads: context.reads + 1,
      amountMicros: status.amount_micros,
      failure: null,
    })),
    resetReads: assign({ reads: 0 }),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
    forgetAttempt: sendTo('attemptMemory', ({ context }) => ({
      type: 'attempt.ended' as const,
      ...attemptRef(context),
    })),
    notifyParent: notifyParent<PaymentNotice>(),
  },
});

/** Stops showing an attempt, and has the owner remove it from the address. */
const dismissed = {
  target: '#payment.idle',
  actions: [
    { type: 'notifyParent', params: ({ context }: { context: PaymentContext }) => dismissal(context) },
    'clearAttempt',
  ],
} as const;

export const paymentMachine = setupPayment.createMachine({
  id: 'payment',
  context: ({ input }) => ({
    ...input,
    attempt: input.attemptInAddress,
    endedAttempt: null,
    amountMicros: null,
    url: '',
    status: null,
    reads: 0,
    failure: null,
  }),
  invoke: { id: 'attemptMemory', src: 'attemptMemory' },
  initial: 'deciding',
  on: {
    'route.changed': [
      { guard: withEvent('isOtherAttempt'), target: '.following', actions: withEvent('adoptAttempt') },
      { guard: withEvent('isAttemptGone'), target: '.idle', actions: 'clearAttempt' },
    ],
  },
  states: {
    deciding: { always: [{ guard: 'isAttemptInAddress', target: 'following' }, { target: 'idle' }] },
    idle: {
      on: {
        'begin.requested': [
          { guard: 'isSetup', target: 'handingOver', actions: 'clearFailure' },
          { target: 'choosing', actions: 'clearFailure' },
        ],
      },
    },
    choosing: {
      tags: 'dialog',
      invoke: {
        id: 'amountForm',
        src: 'amountForm',
        input: ({ context: { amountMicros } }) => ({
          initial: amountMicros === null ? {} : { amount: usdText(amountMicros) },
        }),
        onDone: formEnds({ target: 'confirming', actions: givenAnswer('setAmount') }, { target: 'idle' }),
      },
    },
    confirming: {
      tags: ['dialog', 'confirming'],
      on: {
        'amount.confirmed': { target: 'handingOver', actions: 'clearFailure' },
        'amount.revised': { target: 'choosing', actions: 'clearFailure' },
        'dialog.dismissed': { target: 'idle', actions: 'clearFailure' },
      },
    },
    handingOver: {
      tags: 'leaving',
      initial: 'naming',
      states: {
        naming: {
          invoke: {
            id: 'takeAttempt',
            src: 'takeAttempt',
            input: ({ context }) => ({ ...wantedOf(context), endedAttempt: context.endedAttempt }),
            onDone: { target: 'asking', actions: withOutput('setAttempt') },
            onError: { target: 'refused', actions: withEvent('setFailure') },
          },
        },
        asking: {
          invoke: {
            id: 'openPage',
            src: 'openPage',
            input: ({ context }) => ({ ...wantedOf(context), attempt: attemptOf(context) }),
            onDone: { target: 'leaving', actions: withOutput('setUrl') },
            onError: [
              { guard: withEvent('isEnded'), target: 'readingAttempt' },
              { target: 'refused', actions: withEvent('setFailure') },
            ],
          },
        },
        // The attempt has ended. If it failed or was cancelled, begin another; else show it, so that nobody pays twice.
        readingAttempt: {
          invoke: {
            id: 'readAttempt',
            src: 'readAttempt',
            input: ({ context }) => attemptRef(context),
            onDone: [
              { guard: withOutput('isUnsuccessful'), target: 'naming', actions: 'setEndedAttempt' },
              { target: '#payment.following.deciding', actions: withOutput('setStatus') },
            ],
            onError: { target: 'refused', actions: withEvent('setFailure') },
          },
        },
        leaving: {
          invoke: {
            id: 'leavePage',
            src: 'leavePage',
            input: ({ context }) => ({ url: context.url }),
            onDone: '#payment.following',
            onError: { target: 'refused', actions: withEvent('setFailure') },
          },
          after: { stuck: 'refused' },
        },
        refused: { always: [{ guard: 'isSetup', target: '#payment.idle' }, { target: '#payment.confirming' }] },
      },
    },
    following: {
      tags: 'following',
      entry: 'resetReads',
      initial: 'reading',
      on: {
        'screen.stale': '.reading',
        // The server answers with the page of the same attempt.
        'page.requested': { guard: 'hasPage', target: '#payment.handingOver.asking', actions: 'clearFailure' },
      },
      states: {
        reading: {
          invoke: {
            id: 'readAttempt',
            src: 'readAttempt',
            input: ({ context }) => attemptRef(context),
            onDone: { target: 'deciding', actions: withOutput('setStatus') },
            onError: [
              { guard: withEvent('isGone'), target: '#payment.unknown' },
              { target: 'readFailed', actions: withEvent('setFailure') },
            ],
          },
        },
        deciding: {
          always: [
            { guard: { type: 'isIn', params: { state: 'succeeded' } }, target: '#payment.ended.succeeded' },
            { guard: { type: 'isIn', params: { state: 'failed' } }, target: '#payment.ended.failed' },
            { guard: { type: 'isIn', params: { state: 'canceled' } }, target: '#payment.ended.canceled' },
            { guard: 'isPatient', target: 'waiting' },
            { target: 'overdue' },
          ],
        },
        waiting: { after: { poll: 'reading' } },
        overdue: {
          tags: 'overdue',
          on: { 'check.requested': { target: '#payment.following', reenter: true }, 'outcome.dismissed': dismissed },
        },
        readFailed: {
          tags: 'readFailed',
          meta: UNREAD,
          on: { 'retry.requested': 'reading', 'outcome.dismissed': dismissed },
        },
      },
    },
    ended: {
      entry: [
        'forgetAttempt',
        { type: 'notifyParent', params: { type: 'payment.ended' } },
        enqueueActions(({ context, enqueue }) => {
          if (context.kind !== 'setup' || context.attemptInAddress === null) return;
          enqueue.assign({ attemptInAddress: null });
          enqueue({ type: 'notifyParent', params: dismissal(context) });
        }),
      ],
      initial: 'succeeded',
      on: {
        'begin.requested': [
          { guard: 'isSetup', target: 'handingOver', actions: 'setEndedAttempt' },
          { target: 'choosing', actions: 'setEndedAttempt' },
        ],
        'outcome.dismissed': dismissed,
      },
      states: {
        succeeded: { tags: 'succeeded' },
        failed: { tags: 'failed' },
        canceled: { tags: 'canceled' },
      },
    },
    // The organization has no such attempt.
    unknown: {
      tags: 'unknown',
      on: {
        'begin.requested': [
          { guard: 'isSetup', target: 'handingOver', actions: 'clearFailure' },
          { target: 'choosing', actions: 'clearFailure' },
        ],
        'outcome.dismissed': dismissed,
      },
    },
  },
});

export type PaymentActor = ActorRefFrom<typeof paymentMachine>;
