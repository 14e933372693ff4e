// Models the way out to the identity provider: asking where its page is, and leaving for it (ACC-07).
// Owned by the root or the visitor, beside the forms of sign-in and sign-up.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { leavePage, requestSignOn } from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';

export const singleSignOnMachine = setup({
  types: {} as {
    context: { from: string; url: string; failure: Failure | null };
    /** Where the person was going; empty where nobody said. */
    input: { from: string };
    events: { type: 'signOn.requested' };
    tags: 'leaving';
    children: { requestSignOn: 'requestSignOn'; leavePage: 'leavePage' };
  },
  actors: { requestSignOn, leavePage },
  actions: {
    setUrl: assign((_, { url }: { url: string }) => ({ url })),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
  },
}).createMachine({
  id: 'singleSignOn',
  context: ({ input }) => ({ ...input, url: '', failure: null }),
  initial: 'idle',
  states: {
    idle: { on: { 'signOn.requested': { target: 'asking', actions: 'clearFailure' } } },
    asking: {
      tags: 'leaving',
      invoke: {
        id: 'requestSignOn',
        src: 'requestSignOn',
        input: ({ context }) => ({ from: context.from }),
        onDone: { target: 'leaving', actions: { type: 'setUrl', params: ({ event }) => ({ url: event.output }) } },
        onError: { target: 'idle', actions: withEvent('setFailure') },
      },
    },
    leaving: {
      tags: 'leaving',
      invoke: {
        id: 'leavePage',
        src: 'leavePage',
        input: ({ context }) => ({ url: context.url }),
        onDone: 'idle',
        onError: { target: 'idle', actions: withEvent('setFailure') },
      },
    },
  },
});

export type SingleSignOnActor = ActorRefFrom<typeof singleSignOnMachine>;
