// Models a payment into the balance, or the setup of a payment method, on the payment provider's page: the amount, the way
// there, and, after the way back, what became of it by the provider's word.
// Owned by the billing overview (a payment) and the payment setup (a method) while they are open.
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import type { PaymentAttempt, PaymentState } from '#contract/billing.ts';
import { type Failure, failureOf, isGone, toFailure } from '../../../shared/failure.ts';
import { formEnds, formGuards, givenAnswer } from '../../../shared/form/ends.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { notifyParent } from '../../../shared/notifyParent.ts';
import type { Route, RouteChanged } from '../../../shared/route.ts';
import { UNREAD } from '../../../shared/unread.ts';
import type { ScreenStale } from '../../stale.ts';
import { usdText } from '../amount.ts';
import { attemptMemory, leavePage, openPage, readAttempt, takeAttempt, type AttemptKind } from './actors.ts';
import { amountForm } from './form.ts';

type Input = {
  orgUuid: string;
  kind: AttemptKind;
  /** What the address says that somebody comes back from. */
  shown: string | null;
};

export type PaymentContext = Input & {
  /** What is begun, or followed. */
  attempt: string | null;
  /** What is known to have ended, so that it is not begun again. */
  over: string | null;
  amountMicros: number | null;
  url: string;
  /** As the server told it last. */
  status: PaymentAttempt | null;
  /** How often its state was asked for since somebody looked. */
  reads: number;
  failure: Failure | null;
};

/** What its owner is told: it has ended, so that the balance is another one; its outcome was read, and leaves the address. */
export type PaymentNotice = { type: 'payment.ended' } | { type: 'payment.dismissed' };

/** How often its state is asked for before the person is told that it takes longer: about a minute. */
export const READS_MAX = 24;
/** So many times it is asked at once, milliseconds; then more slowly. */
const QUICK = { reads: 6, ms: 1000 };
const SLOW_MS = 3000;

const attemptIn = (route: Route): string | null => ('attempt' in route && route.attempt ? route.attempt : null);
const attemptOf = ({ attempt }: PaymentContext): string => {
  if (attempt === null) throw new Error('Nothing has been begun.');
  return attempt;
};

const setupPayment = setup({
  types: {} as {
    context: PaymentContext;
    input: Input;
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
    tags: 'dialog' | 'confirming' | 'leaving' | 'following' | 'overdue' | 'unread' | 'unknown' | PaymentState;
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
    // The page of the provider may be slow; the browser may also have stayed, as somebody wanted to keep what they typed.
    stuck: 20_000,
  },
  guards: {
    ...formGuards,
    isSetup: ({ context }) => context.kind === 'setup',
    isShown: ({ context }) => context.shown !== null,
    isOtherShown: ({ context }, { route }: { route: Route }) =>
      attemptIn(route) !== null && attemptIn(route) !== context.shown,
    isShownNoMore: ({ context }, { route }: { route: Route }) => attemptIn(route) === null && context.shown !== null,
    isEnded: (_, { error }: { error: unknown }) => toFailure(error).errorType === 'payment_ended',
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    isIn: ({ context }, { state }: { state: PaymentState }) => context.status?.state === state,
    isInVain: (_, { state }: PaymentAttempt) => state === 'failed' || state === 'canceled',
    /** Its page waits for its visitor, and it is of the kind that is begun here. */
    hasPage: ({ context: { status, kind } }) =>
      status?.state === 'open' && (status.kind === 'setup') === (kind === 'setup'),
    isPatient: ({ context }) => context.reads < READS_MAX,
  },
  actions: {
    adoptShown: assign((_, { route }: { route: Route }) => ({
      shown: attemptIn(route),
      attempt: attemptIn(route),
      status: null,
      failure: null,
    })),
    clearShown: assign({ shown: null, attempt: null, status: null, failure: null }),
    setAmount: assign((_, amountMicros: number) => ({ amountMicros })),
    setAttempt: assign((_, attempt: string) => ({ attempt })),
    setOver: assign(({ context }) => ({ over: context.attempt })),
    setUrl: assign((_, url: string) => ({ url })),
    setStatus: assign(({ context }, status: PaymentAttempt) => ({
      status,
      reads: context.reads + 1,
      amountMicros: status.amount_micros,
      failure: null,
    })),
    countAnew: assign({ reads: 0 }),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
    sayEnded: sendTo('attemptMemory', ({ context }) => ({
      type: 'attempt.ended' as const,
      orgUuid: context.orgUuid,
      attempt: attemptOf(context),
    })),
    notifyParent: notifyParent<PaymentNotice>(),
  },
});

/** It is not looked at any more, and leaves the address. */
const dismissed = {
  target: '#payment.idle',
  actions: ['clearShown', { type: 'notifyParent', params: { type: 'payment.dismissed' } }],
} as const;

export const paymentMachine = setupPayment.createMachine({
  id: 'payment',
  context: ({ input }) => ({
    ...input,
    attempt: input.shown,
    over: null,
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
      { guard: withEvent('isOtherShown'), target: '.following', actions: withEvent('adoptShown') },
      { guard: withEvent('isShownNoMore'), target: '.idle', actions: 'clearShown' },
    ],
  },
  states: {
    deciding: { always: [{ guard: 'isShown', target: 'following' }, { target: 'idle' }] },
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
            input: ({ context: { orgUuid, kind, amountMicros, over } }) => ({ orgUuid, kind, amountMicros, over }),
            onDone: { target: 'asking', actions: withOutput('setAttempt') },
            onError: { target: 'refused', actions: withEvent('setFailure') },
          },
        },
        asking: {
          invoke: {
            id: 'openPage',
            src: 'openPage',
            input: ({ context }) => ({
              orgUuid: context.orgUuid,
              kind: context.kind,
              amountMicros: context.amountMicros,
              attempt: attemptOf(context),
            }),
            onDone: { target: 'leaving', actions: withOutput('setUrl') },
            onError: [
              { guard: withEvent('isEnded'), target: 'readingAttempt' },
              { target: 'refused', actions: withEvent('setFailure') },
            ],
          },
        },
        // It was begun before, and is over: begun anew where nothing came of it, else shown, rather than paid twice.
        readingAttempt: {
          invoke: {
            id: 'readAttempt',
            src: 'readAttempt',
            input: ({ context }) => ({ orgUuid: context.orgUuid, attempt: attemptOf(context) }),
            onDone: [
              { guard: withOutput('isInVain'), target: 'naming', actions: 'setOver' },
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
      entry: 'countAnew',
      initial: 'reading',
      on: {
        'screen.stale': '.reading',
        // The same attempt has the same page.
        'page.requested': { guard: 'hasPage', target: '#payment.handingOver.asking' },
      },
      states: {
        reading: {
          invoke: {
            id: 'readAttempt',
            src: 'readAttempt',
            input: ({ context }) => ({ orgUuid: context.orgUuid, attempt: attemptOf(context) }),
            onDone: { target: 'deciding', actions: withOutput('setStatus') },
            onError: [
              { guard: withEvent('isGone'), target: '#payment.unknown' },
              { target: 'unread', actions: withEvent('setFailure') },
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
        unread: {
          tags: 'unread',
          meta: UNREAD,
          on: { 'retry.requested': 'reading', 'outcome.dismissed': dismissed },
        },
      },
    },
    ended: {
      entry: ['sayEnded', { type: 'notifyParent', params: { type: 'payment.ended' } }],
      initial: 'succeeded',
      on: {
        'begin.requested': [
          { guard: 'isSetup', target: 'handingOver', actions: 'setOver' },
          { target: 'choosing', actions: 'setOver' },
        ],
        'outcome.dismissed': dismissed,
      },
      states: {
        succeeded: { tags: 'succeeded' },
        failed: { tags: 'failed' },
        canceled: { tags: 'canceled' },
      },
    },
    // The address names one that the organization does not have.
    unknown: {
      tags: 'unknown',
      on: {
        'begin.requested': [{ guard: 'isSetup', target: 'handingOver' }, { target: 'choosing' }],
        'outcome.dismissed': dismissed,
      },
    },
  },
});

export type PaymentActor = ActorRefFrom<typeof paymentMachine>;
