// Models requesting a link by e-mail: to sign up, to activate an account, or to recover a password (ACC-02, 04, 05).
// Owned by the visitor, while one of these screens shows.
import * as v from 'valibot';
import { assign, enqueueActions, isMachineSnapshot, setup, type ActorRefFrom } from 'xstate';
import { Email } from '#contract/emails.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { createForm } from '../../shared/form/machine.ts';
import { requestEmail, type EmailAbout } from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';

const emailForm = createForm({
  id: 'emailForm',
  schema: v.object({ email: Email }),
  initial: { email: '' },
  submit: requestEmail,
});

/** A form with an empty address. */
const Untyped = v.object({ values: v.object({ email: v.literal('') }) });

export const emailLinkMachine = setup({
  types: {} as {
    context: EmailAbout & { email: string; failure: Failure | null };
    /** `email` is the form's initial address. */
    input: EmailAbout & { email: string };
    /** `email.suggested` fills the address if it is empty. */
    events:
      | { type: 'sendAgain.requested' }
      | { type: 'otherAddress.requested' }
      | { type: 'email.suggested'; email: string };
    tags: 'sent' | 'sending';
    children: { form: 'form'; requestEmail: 'requestEmail' };
  },
  actors: { form: emailForm, requestEmail },
  actions: {
    setEmail: assign((_, { email }: { email: string }) => ({ email })),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
    suggest: enqueueActions(({ enqueue, self }, { email }: { email: string }) => {
      const own: unknown = self.getSnapshot();
      const form: unknown = isMachineSnapshot(own) ? own.children['form']?.getSnapshot() : undefined;
      const isEmpty = isMachineSnapshot(form) && v.is(Untyped, form.context);
      if (isEmpty) enqueue.sendTo('form', { type: 'field.changed', field: 'email', value: email });
    }),
  },
}).createMachine({
  id: 'emailLink',
  context: ({ input }) => ({ ...input, failure: null }),
  initial: 'asking',
  states: {
    asking: {
      invoke: {
        id: 'form',
        src: 'form',
        input: ({ context: { purpose, email, from } }) => ({ about: { purpose, from }, initial: { email } }),
        onDone: {
          target: 'sent',
          actions: {
            type: 'setEmail',
            params: ({ event }) => ({ email: event.output.outcome === 'done' ? event.output.values.email : '' }),
          },
        },
      },
      on: { 'email.suggested': { actions: withEvent('suggest') } },
    },
    sent: {
      tags: 'sent',
      initial: 'waiting',
      on: { 'otherAddress.requested': { target: 'asking', actions: 'clearFailure' } },
      states: {
        waiting: { on: { 'sendAgain.requested': { target: 'sendingAgain', actions: 'clearFailure' } } },
        sendingAgain: {
          tags: 'sending',
          invoke: {
            id: 'requestEmail',
            src: 'requestEmail',
            input: ({ context: { purpose, email, from } }) => ({ about: { purpose, from }, values: { email } }),
            onDone: 'waiting',
            onError: { target: 'waiting', actions: withEvent('setFailure') },
          },
        },
      },
    },
  },
});

/** The machine with its effect provided, to itself and to its form. */
export const emailLinkWith = (actor: typeof requestEmail) =>
  emailLinkMachine.provide({ actors: { requestEmail: actor, form: emailForm.provide({ actors: { submit: actor } }) } });

export type EmailLinkActor = ActorRefFrom<typeof emailLinkMachine>;
