// Models asking for an activation e-mail: for a new account, or once more for one that was never activated (ACC-02, ACC-04).
// Owned by the root, while the sign-up or the resend screen shows.
import * as v from 'valibot';
import { assign, setup, type ActorRefFrom } from 'xstate';
import { Email } from '#contract/accounts.ts';
import { toFailure, type Failure } from '../failure.ts';
import { createForm } from '../form/machine.ts';
import { requestEmail, type EmailPurpose } from './actors.ts';

const PURPOSES = ['signUp', 'resendActivation'] as const satisfies readonly EmailPurpose[];

/** The form of the screen; `purpose` is filled in beforehand and not shown. */
const emailForm = createForm({
  id: 'emailForm',
  schema: v.object({ email: Email, purpose: v.picklist(PURPOSES) }),
  initial: { email: '', purpose: 'signUp' },
  submit: requestEmail,
});

export const signUpMachine = setup({
  types: {} as {
    context: { purpose: EmailPurpose; email: string; failure: Failure | null };
    input: { purpose: EmailPurpose };
    events: { type: 'sendAgain.requested' } | { type: 'otherAddress.requested' };
    tags: 'sent' | 'sending';
    children: { form: 'form'; requestEmail: 'requestEmail' };
  },
  actors: { form: emailForm, requestEmail },
  actions: {
    keepEmail: assign((_, { email }: { email: string }) => ({ email })),
    keepFailure: assign((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
    forgetFailure: assign({ failure: null }),
  },
}).createMachine({
  id: 'signUp',
  context: ({ input }) => ({ purpose: input.purpose, email: '', failure: null }),
  initial: 'asking',
  states: {
    asking: {
      invoke: {
        id: 'form',
        src: 'form',
        input: ({ context }) => ({ initial: { purpose: context.purpose, email: context.email } }),
        onDone: { target: 'sent', actions: { type: 'keepEmail', params: ({ event }) => ({ email: event.output.outcome === 'done' ? event.output.values.email : '' }) } },
        onError: { target: 'asking', reenter: true },
      },
    },
    sent: {
      tags: 'sent',
      initial: 'waiting',
      on: { 'otherAddress.requested': { target: 'asking', actions: 'forgetFailure' } },
      states: {
        waiting: { on: { 'sendAgain.requested': { target: 'sendingAgain', actions: 'forgetFailure' } } },
        sendingAgain: {
          tags: 'sending',
          invoke: {
            id: 'requestEmail',
            src: 'requestEmail',
            input: ({ context }) => ({ values: { purpose: context.purpose, email: context.email } }),
            onDone: 'waiting',
            onError: { target: 'waiting', actions: { type: 'keepFailure', params: ({ event }) => event } },
          },
        },
      },
    },
  },
});

/** The machine with its one outside actor in both places that need it. */
export const signUpWith = (actor: typeof requestEmail) =>
  signUpMachine.provide({ actors: { requestEmail: actor, form: emailForm.provide({ actors: { submit: actor } }) } });

export type SignUpActor = ActorRefFrom<typeof signUpMachine>;
