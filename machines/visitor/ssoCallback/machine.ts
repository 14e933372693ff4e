// Models the return from the identity provider: its answer becomes a session, or first an account, or is refused
// (ACC-07). After a reload it asks a newcomer again whether to create an account (CON-08).
// Owned by the visitor, while the callback screen shows; its output starts a session.
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import type { SsoToken } from '#contract/sso.ts';
import { type Failure, failureOf, toFailure } from '../../shared/failure.ts';
import { refusalOf } from '../linkRefusal.ts';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import {
  createAccount,
  exchangeQuery,
  newcomerMemory,
  recallNewcomer,
  type Newcomer,
  type NewcomerCommand,
} from './actors.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';

type SsoCallbackContext = {
  query: string;
  from: string | null;
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
    tags: 'loading' | 'empty' | 'failed' | 'newcomer' | 'creating';
    children: {
      exchangeQuery: 'exchangeQuery';
      createAccount: 'createAccount';
      recallNewcomer: 'recallNewcomer';
      newcomerMemory: 'newcomerMemory';
    };
  },
  actors: { exchangeQuery, createAccount, recallNewcomer, newcomerMemory },
  guards: {
    hasQuery: ({ context }) => context.query !== '',
    isSignedIn: (_, answer: SsoToken) => answer.outcome === 'signed_in',
    // A repeat cannot help after an answer of the server: the provider's query works once.
    isUnanswered: ({ context }) => context.failure !== null && context.failure.kind !== 'HTTP',
    isSomebody: (_, newcomer: Newcomer | null) => newcomer !== null,
    isSpent: (_, { error }: { error: unknown }) => refusalOf(toFailure(error)) !== null,
  },
  actions: {
    setSession: assign((_, answer: SsoToken) =>
      answer.outcome === 'signed_in' ? { tokens: answer.tokens, from: answer.from } : {},
    ),
    setNewcomer: assign((_, newcomer: Newcomer | null) => ({ newcomer, from: newcomer?.from ?? null })),
    commandMemory: sendTo('newcomerMemory', (_, command: NewcomerCommand): NewcomerCommand => command),
    setTokens: assign((_, { tokens }: { tokens: TokenPair }) => ({ tokens })),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
    sendToApp: sendToApp<NavigateRequested>(),
  },
});

export const ssoCallbackMachine = setupSsoCallback.createMachine({
  id: 'ssoCallback',
  context: ({ input }) => ({ ...input, from: null, newcomer: null, tokens: null, failure: null }),
  invoke: { id: 'newcomerMemory', src: 'newcomerMemory' },
  initial: 'deciding',
  states: {
    deciding: {
      always: [
        {
          guard: 'hasQuery',
          target: 'exchanging',
          actions: [
            { type: 'commandMemory', params: { type: 'newcomer.forgotten' } },
            {
              type: 'sendToApp',
              params: { type: 'navigate.requested', to: { screen: 'ssoCallback', query: '' }, replace: true },
            },
          ],
        },
        { target: 'recalling' },
      ],
    },
    recalling: {
      tags: 'loading',
      invoke: {
        id: 'recallNewcomer',
        src: 'recallNewcomer',
        onDone: [
          {
            guard: withOutput('isSomebody'),
            target: 'asking',
            actions: withOutput('setNewcomer'),
          },
          { target: 'empty' },
        ],
      },
    },
    // Opened by hand, or reloaded after the query was used.
    empty: { tags: 'empty' },
    exchanging: {
      tags: 'loading',
      invoke: {
        id: 'exchangeQuery',
        src: 'exchangeQuery',
        input: ({ context }) => ({ query: context.query }),
        onDone: [
          {
            guard: withOutput('isSignedIn'),
            target: 'done',
            actions: withOutput('setSession'),
          },
          {
            target: 'asking',
            actions: [
              { type: 'setNewcomer', params: ({ event }) => newcomerOf(event.output) },
              { type: 'commandMemory', params: ({ context }) => commandOf(context.newcomer) },
            ],
          },
        ],
        onError: { target: 'failed', actions: withEvent('setFailure') },
      },
    },
    failed: {
      tags: 'failed',
      on: { 'retry.requested': { guard: 'isUnanswered', target: 'exchanging', actions: 'clearFailure' } },
    },
    asking: {
      tags: 'newcomer',
      on: { 'account.create.requested': { target: 'creating', actions: 'clearFailure' } },
    },
    creating: {
      tags: ['newcomer', 'creating'],
      invoke: {
        id: 'createAccount',
        src: 'createAccount',
        input: ({ context }) => ({ signupToken: context.newcomer?.signupToken ?? '' }),
        onDone: {
          target: 'done',
          actions: [
            { type: 'setTokens', params: ({ event }) => ({ tokens: event.output }) },
            { type: 'commandMemory', params: { type: 'newcomer.forgotten' } },
          ],
        },
        onError: [
          {
            guard: withEvent('isSpent'),
            target: 'failed',
            actions: [withEvent('setFailure'), { type: 'commandMemory', params: { type: 'newcomer.forgotten' } }],
          },
          { target: 'asking', actions: withEvent('setFailure') },
        ],
      },
    },
    done: { type: 'final' },
  },
  output: ({ context: { tokens, from, newcomer } }) => ({ tokens, from, isNew: newcomer !== null }),
});

function newcomerOf(answer: SsoToken): Newcomer | null {
  if (answer.outcome === 'signed_in') return null;
  const { signup_token: signupToken, email, name, from } = answer;
  return { signupToken, email, name, from };
}

const commandOf = (newcomer: Newcomer | null): NewcomerCommand =>
  newcomer === null ? { type: 'newcomer.forgotten' } : { type: 'newcomer.kept', newcomer };

export type SsoCallbackActor = ActorRefFrom<typeof ssoCallbackMachine>;
