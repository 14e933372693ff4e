// Models the link of an activation e-mail: whose it is, the choice of a password, or why the link is of no use (ACC-03).
// Owned by the root, while the activation screen shows; its output, a pair of tokens, goes to the session.
import * as v from 'valibot';
import { assign, setup, type ActorRefFrom } from 'xstate';
import { ActivationRequest } from '#contract/accounts.ts';
import type { TokenPair } from '#contract/session.ts';
import { toFailure, type Failure } from '../failure.ts';
import { createForm, type FormResult } from '../form/machine.ts';
import { activate, readActivation } from './actors.ts';

const REASONS: Record<string, InvalidReason> = { token_used: 'used', token_expired: 'expired', token_not_found: 'unknown' };
export type InvalidReason = 'used' | 'expired' | 'unknown';

const reasonOf = (failure: Failure): InvalidReason | null => REASONS[failure.errorType ?? ''] ?? null;

/** The form of the screen; `token` is filled in beforehand and not shown. */
export const passwordForm = createForm({
  id: 'passwordForm',
  schema: v.object({ ...ActivationRequest.entries, token: v.string() }),
  initial: { password: '', token: '' },
  submit: activate,
  endsOn: (failure) => reasonOf(failure) !== null,
});

type PasswordResult = FormResult<TokenPair, { password: string; token: string }>;

export const activationMachine = setup({
  types: {} as {
    context: { token: string; email: string; failure: Failure | null; tokens: TokenPair | null };
    input: { token: string };
    events: { type: 'retry.requested' };
    output: TokenPair | null;
    tags: 'loading' | 'invalid' | 'failed';
    children: { form: 'form'; readActivation: 'readActivation' };
  },
  actors: { form: passwordForm, readActivation },
  guards: {
    isFor: ({ context }, reason: InvalidReason) => context.failure !== null && reasonOf(context.failure) === reason,
    isActivated: (_, { output }: { output: PasswordResult }) => output.outcome === 'done',
  },
  actions: {
    keepEmail: assign((_, { email }: { email: string }) => ({ email })),
    keepFailure: assign((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
    keepRefusal: assign((_, { output }: { output: PasswordResult }) => ({ failure: output.outcome === 'refused' ? output.failure : null })),
    keepTokens: assign((_, { output }: { output: PasswordResult }) => ({ tokens: output.outcome === 'done' ? output.answer : null })),
    forgetFailure: assign({ failure: null }),
  },
}).createMachine({
  id: 'activation',
  context: ({ input }) => ({ token: input.token, email: '', failure: null, tokens: null }),
  initial: 'checking',
  states: {
    checking: {
      tags: 'loading',
      invoke: {
        id: 'readActivation',
        src: 'readActivation',
        input: ({ context }) => ({ token: context.token }),
        onDone: { target: 'choosingPassword', actions: { type: 'keepEmail', params: ({ event }) => event.output } },
        onError: { target: 'refused', actions: { type: 'keepFailure', params: ({ event }) => event } },
      },
    },
    choosingPassword: {
      invoke: {
        id: 'form',
        src: 'form',
        input: ({ context }) => ({ initial: { token: context.token } }),
        onDone: [
          { guard: { type: 'isActivated', params: ({ event }) => event }, target: 'done', actions: { type: 'keepTokens', params: ({ event }) => event } },
          { target: 'refused', actions: { type: 'keepRefusal', params: ({ event }) => event } },
        ],
        onError: { target: 'refused', actions: { type: 'keepFailure', params: ({ event }) => event } },
      },
    },
    refused: {
      always: [
        { guard: { type: 'isFor', params: 'used' }, target: 'invalid.used' },
        { guard: { type: 'isFor', params: 'expired' }, target: 'invalid.expired' },
        { guard: { type: 'isFor', params: 'unknown' }, target: 'invalid.unknown' },
        { target: 'failed' },
      ],
    },
    invalid: { tags: 'invalid', initial: 'unknown', states: { used: {}, expired: {}, unknown: {} } },
    failed: { tags: 'failed', on: { 'retry.requested': { target: 'checking', actions: 'forgetFailure' } } },
    done: { type: 'final' },
  },
  output: ({ context }) => context.tokens,
});

/** The machine with both of its outside actors. */
export const activationWith = (actors: { readActivation: typeof readActivation; activate: typeof activate }) =>
  activationMachine.provide({
    actors: { readActivation: actors.readActivation, form: passwordForm.provide({ actors: { submit: actors.activate } }) },
  });

export type ActivationActor = ActorRefFrom<typeof activationMachine>;
