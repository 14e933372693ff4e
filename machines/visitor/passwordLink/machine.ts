// Models a link for choosing a password, of a new account or after the password was lost (ACC-03, ACC-06).
// Owned by the visitor, while the link is open; its output starts a session.
import * as v from 'valibot';
import { assign, setup, type ActorRefFrom } from 'xstate';
import { NewPassword } from '#contract/passwords.ts';
import type { TokenPair } from '#contract/session.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { formGuards, formEnds, givenAnswer } from '../../shared/form/ends.ts';
import { isAbout } from '../../shared/form/errors.ts';
import { createForm } from '../../shared/form/machine.ts';
import type { FormResult } from '../../shared/form/types.ts';
import { refusalOf, type LinkRefusal } from '../linkRefusal.ts';
import type { checkPassword } from '../../shared/newPassword/actors.ts';
import { passwordAdvice } from '../../shared/newPassword/advice.ts';
import { readLink, setPassword, type PasswordLink, type PasswordLinkOwner } from './actors.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';

const passwordForm = createForm({
  id: 'passwordForm',
  schema: v.object({ password: NewPassword }),
  initial: { password: '' },
  submit: setPassword,
  endsOn: (failure) => refusalOf(failure) !== null,
  blames: (failure) => (isAbout(failure, 'password') ? 'password' : null),
  advice: passwordAdvice('password'),
});

/** `from` is the path that the person was going to when they requested the link, as the server knows it. */
export type PasswordLinkOutput = { tokens: TokenPair | null; from: string | null };

export const passwordLinkMachine = setup({
  types: {} as {
    context: PasswordLink & PasswordLinkOwner & { failure: Failure | null; tokens: TokenPair | null };
    input: PasswordLink;
    events: { type: 'retry.requested' };
    output: PasswordLinkOutput;
    tags: 'loading' | 'invalid' | 'used' | 'expired' | 'failed';
    children: { form: 'form'; readLink: 'readLink' };
  },
  actors: { form: passwordForm, readLink },
  guards: {
    isFor: ({ context }, reason: LinkRefusal) => refusalOf(context.failure) === reason,
    ...formGuards,
  },
  actions: {
    setOwner: assign((_, { email, from }: PasswordLinkOwner) => ({ email, from })),
    setFailure: assign(failureOf),
    setRefusal: assign((_, output: FormResult<TokenPair, unknown>) => ({
      failure: output.outcome === 'refused' ? output.failure : null,
    })),
    setTokens: assign((_, tokens: TokenPair) => ({ tokens })),
    clearFailure: assign({ failure: null }),
  },
}).createMachine({
  id: 'passwordLink',
  context: ({ input }) => ({ ...input, email: '', from: null, failure: null, tokens: null }),
  initial: 'checking',
  states: {
    checking: {
      tags: 'loading',
      invoke: {
        id: 'readLink',
        src: 'readLink',
        input: ({ context }) => ({ purpose: context.purpose, token: context.token }),
        onDone: { target: 'choosingPassword', actions: withOutput('setOwner') },
        onError: { target: 'refused', actions: withEvent('setFailure') },
      },
    },
    choosingPassword: {
      invoke: {
        id: 'form',
        src: 'form',
        input: ({ context: { purpose, token, email } }) => ({ about: { purpose, token, email } }),
        onDone: formEnds(
          { target: 'done', actions: givenAnswer('setTokens') },
          { target: 'refused', actions: withOutput('setRefusal') },
        ),
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
    invalid: {
      tags: 'invalid',
      initial: 'unknown',
      states: { used: { tags: 'used' }, expired: { tags: 'expired' }, unknown: {} },
    },
    failed: { tags: 'failed', on: { 'retry.requested': { target: 'checking', actions: 'clearFailure' } } },
    done: { type: 'final' },
  },
  output: ({ context: { tokens, from } }) => ({ tokens, from }),
});

/** The machine with its effects provided. */
export const passwordLinkWith = (actors: {
  readLink: typeof readLink;
  setPassword: typeof setPassword;
  checkPassword: typeof checkPassword;
}) =>
  passwordLinkMachine.provide({
    actors: {
      readLink: actors.readLink,
      form: passwordForm.provide({ actors: { submit: actors.setPassword, passwordCheck: actors.checkPassword } }),
    },
  });

export type PasswordLinkActor = ActorRefFrom<typeof passwordLinkMachine>;
