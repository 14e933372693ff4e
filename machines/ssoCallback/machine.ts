// Models the way back from the identity provider: its answer for a session, or first for an account; or what it refused (ACC-07).
// Owned by the visitor, while the callback screen shows; its output, a pair of tokens and where they lead, goes to the session.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import type { SsoToken } from '#contract/sso.ts';
import { toFailure, type Failure } from '../failure.ts';
import { tellParent } from '../parent.ts';
import type { Navigate } from '../route.ts';
import { createAccount, exchangeQuery } from './actors.ts';

/** Told at once: the provider's answer is not to stay in the address. */
export type SsoCallbackTold = { type: 'navigate.requested' } & Omit<Navigate, 'type'>;

type Newcomer = { signupToken: string; email: string; name: string };

type SsoCallbackContext = {
  query: string;
  from: string | null;
  /** Somebody whom the provider knows and the console does not. */
  newcomer: Newcomer | null;
  tokens: TokenPair | null;
  failure: Failure | null;
};

const setupSsoCallback = setup({
  types: {} as {
    context: SsoCallbackContext;
    input: { query: string };
    events: { type: 'account.create.requested' } | { type: 'retry.requested' };
    /** `isNew`: the account was made just now. */
    output: { tokens: TokenPair | null; from: string | null; isNew: boolean };
    tags: 'loading' | 'failed' | 'newcomer' | 'creating';
    children: { exchangeQuery: 'exchangeQuery'; createAccount: 'createAccount' };
  },
  actors: { exchangeQuery, createAccount },
  guards: {
    hasQuery: ({ context }) => context.query !== '',
    isSignedIn: (_, answer: SsoToken) => answer.outcome === 'signed_in',
    // What the server has refused it refuses again: the provider's answer is good for one use.
    isUnanswered: ({ context }) => context.failure !== null && context.failure.kind !== 'HTTP',
  },
  actions: {
    keepAnswer: assign((_, answer: SsoToken) =>
      answer.outcome === 'signed_in'
        ? { tokens: answer.tokens, from: answer.from }
        : { newcomer: { signupToken: answer.signup_token, email: answer.email, name: answer.name }, from: answer.from },
    ),
    keepTokens: assign((_, { tokens }: { tokens: TokenPair }) => ({ tokens })),
    keepFailure: assign((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
    forgetFailure: assign({ failure: null }),
    tell: tellParent<SsoCallbackTold>(),
  },
});

export const ssoCallbackMachine = setupSsoCallback.createMachine({
  id: 'ssoCallback',
  context: ({ input }) => ({ ...input, from: null, newcomer: null, tokens: null, failure: null }),
  initial: 'deciding',
  states: {
    deciding: {
      always: [
        {
          guard: 'hasQuery',
          target: 'exchanging',
          actions: { type: 'tell', params: { type: 'navigate.requested', to: { screen: 'ssoCallback', query: '' }, replace: true } },
        },
        { target: 'empty' },
      ],
    },
    // Opened by hand, or loaded anew after the answer was used.
    empty: {},
    exchanging: {
      tags: 'loading',
      invoke: {
        id: 'exchangeQuery',
        src: 'exchangeQuery',
        input: ({ context }) => ({ query: context.query }),
        onDone: [
          {
            guard: { type: 'isSignedIn', params: ({ event }) => event.output },
            target: 'done',
            actions: { type: 'keepAnswer', params: ({ event }) => event.output },
          },
          { target: 'asking', actions: { type: 'keepAnswer', params: ({ event }) => event.output } },
        ],
        onError: { target: 'failed', actions: { type: 'keepFailure', params: ({ event }) => event } },
      },
    },
    failed: {
      tags: 'failed',
      on: { 'retry.requested': { guard: 'isUnanswered', target: 'exchanging', actions: 'forgetFailure' } },
    },
    asking: {
      tags: 'newcomer',
      on: { 'account.create.requested': { target: 'creating', actions: 'forgetFailure' } },
    },
    creating: {
      tags: ['newcomer', 'creating'],
      invoke: {
        id: 'createAccount',
        src: 'createAccount',
        input: ({ context }) => ({ signupToken: context.newcomer?.signupToken ?? '' }),
        onDone: { target: 'done', actions: { type: 'keepTokens', params: ({ event }) => ({ tokens: event.output }) } },
        onError: { target: 'asking', actions: { type: 'keepFailure', params: ({ event }) => event } },
      },
    },
    done: { type: 'final' },
  },
  output: ({ context: { tokens, from, newcomer } }) => ({ tokens, from, isNew: newcomer !== null }),
});

export type SsoCallbackActor = ActorRefFrom<typeof ssoCallbackMachine>;
