// Models one opened webhook: reads it with its tries, again at each new try, and sends it again.
// Owned by `webhooks`, while the address names it.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { WebhookDelivery, WebhookDetails, WebhookTry } from '#contract/webhooks.ts';
import { failureOf, isGone, toFailure, type Failure } from '../../../shared/failure.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { notifyParent } from '../../../shared/notifyParent.ts';
import { sendToApp, type ToastRequested } from '../../../shared/appServices.ts';
import { UNREAD } from '../../../shared/unread.ts';
import { loadDelivery, sendAgain } from './actors.ts';
import { success } from '../../say.ts';

export type DeliveryNotice = { type: 'delivery.changed'; delivery: WebhookDelivery };

type Input = { projectUuid: string; id: string; mayManage: boolean };

type DeliveryContext = Input & {
  delivery: WebhookDelivery | null;
  /** Newest first; null before they are read. */
  tries: readonly WebhookTry[] | null;
  failure: Failure | null;
  /** Why the server refused to send it again. */
  refusal: Failure | null;
  /** It may have changed since it was read. */
  isStale: boolean;
};

const SENT_AGAIN = 'The webhook is being sent again.';

const setupDelivery = setup({
  types: {} as {
    context: DeliveryContext;
    input: Input;
    events: { type: 'retry.requested' } | { type: 'delivery.stale' } | { type: 'send.requested' };
    tags: 'loading' | 'failed' | 'missing' | 'outdated' | 'sending';
    children: { loadDelivery: 'loadDelivery'; rereadDelivery: 'loadDelivery'; sendAgain: 'sendAgain' };
  },
  actors: { loadDelivery, sendAgain },
  // Reads at most about once a second.
  delays: { pause: 1000 },
  guards: {
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    isStale: ({ context }) => context.isStale,
    canSend: ({ context: { mayManage, delivery } }) => mayManage && delivery?.can_be_sent_again === true,
  },
  actions: {
    setDetails: assign((_, { delivery, tries }: WebhookDetails) => ({ delivery, tries, failure: null })),
    setFailure: assign(failureOf),
    // Reads it again, to show the new try.
    setSent: assign((_, delivery: WebhookDelivery) => ({ delivery, isStale: true })),
    setRefusal: assign((_, { error }: { error: unknown }) => ({ refusal: toFailure(error), isStale: true })),
    clearRefusal: assign({ refusal: null }),
    noteStale: assign({ isStale: true }),
    clearStale: assign({ isStale: false }),
    notifyParent: notifyParent<DeliveryNotice>(),
    sendToApp: sendToApp<ToastRequested>(),
  },
});

const asked = ({ context: { projectUuid, id } }: { context: DeliveryContext }) => ({ projectUuid, id });

const reading = setupDelivery.createStateConfig({
  initial: 'loading',
  states: {
    loading: {
      tags: 'loading',
      entry: 'clearStale',
      invoke: {
        id: 'loadDelivery',
        src: 'loadDelivery',
        input: asked,
        onDone: { target: 'shown', actions: withOutput('setDetails') },
        onError: [
          { guard: withEvent('isGone'), target: 'missing' },
          { target: 'failed', actions: withEvent('setFailure') },
        ],
      },
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
    // The server keeps webhooks for a limited time.
    missing: { tags: 'missing' },
    shown: {
      initial: 'current',
      states: {
        current: { always: { guard: 'isStale', target: 'rereading' } },
        rereading: {
          entry: 'clearStale',
          invoke: {
            id: 'rereadDelivery',
            src: 'loadDelivery',
            input: asked,
            onDone: { target: 'pausing', actions: withOutput('setDetails') },
            onError: [
              { guard: withEvent('isGone'), target: '#delivery.reading.missing' },
              { target: 'outdated', actions: withEvent('setFailure') },
            ],
          },
        },
        pausing: { after: { pause: 'current' } },
        outdated: {
          tags: 'outdated',
          meta: UNREAD,
          on: { 'retry.requested': 'rereading', 'delivery.stale': 'rereading' },
        },
      },
    },
  },
});

const sending = setupDelivery.createStateConfig({
  initial: 'idle',
  states: {
    idle: { on: { 'send.requested': { guard: 'canSend', target: 'sending' } } },
    sending: {
      tags: 'sending',
      entry: 'clearRefusal',
      invoke: {
        id: 'sendAgain',
        src: 'sendAgain',
        input: asked,
        onDone: {
          target: 'idle',
          actions: [
            withOutput('setSent'),
            { type: 'notifyParent', params: ({ event }) => ({ type: 'delivery.changed', delivery: event.output }) },
            success(SENT_AGAIN),
          ],
        },
        // Somebody else may have sent it, or it is gone: read it again.
        onError: { target: 'idle', actions: withEvent('setRefusal') },
      },
    },
  },
});

export const deliveryMachine = setupDelivery.createMachine({
  id: 'delivery',
  context: ({ input }) => ({ ...input, delivery: null, tries: null, failure: null, refusal: null, isStale: false }),
  type: 'parallel',
  on: { 'delivery.stale': { actions: 'noteStale' } },
  states: { reading, sending },
});

export type DeliveryActor = ActorRefFrom<typeof deliveryMachine>;
