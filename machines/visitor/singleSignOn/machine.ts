// Models leaving for the identity provider: it requests the URL of its page and goes there (ACC-07).
// Owned by the root beside the sign-in form, and by the visitor beside the sign-up form.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { leavePage, requestSignOn } from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';

export const singleSignOnMachine = setup({
  types: {} as {
    context: { from: string; url: string; failure: Failure | null };
    /** The path that the person was going to; empty if unknown. */
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
