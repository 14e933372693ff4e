// Models inviting somebody to an organization: the form, the question if they already have an open invitation, and the
// return to the members once it is sent (ORG-05, CON-03).
// Owned by the workspace, while its screen is open.
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { isSameEmail } from '#contract/emails.ts';
import type { Invitation, InvitationCreate } from '#contract/members.ts';
import { assignableBy, type Role } from '#contract/roles.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { draftOf, type Draft } from '../../shared/form/drafts.ts';
import { formEnds, formGuards, givenAnswer } from '../../shared/form/ends.ts';
import type { FormValues } from '../../shared/form/types.ts';
import { unsavedWork } from '../../shared/unsavedWork.ts';
import { sendToApp, type NavigateRequested, type ToastRequested } from '../../shared/appServices.ts';
import { loadInvitations, sendInvitation } from './actors.ts';
import { invitationForm, isPending, requestOf } from './form.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { successToast } from '../say.ts';

type InvitationInput = {
  orgUuid: string;
  /** Role of the inviter. */
  role: Role;
  /** Input from before the session ended. */
  drafts: readonly Draft[];
};

type InvitationContext = {
  about: { orgUuid: string };
  /** Roles that the inviter may give. */
  roles: readonly Role[];
  drafts: readonly Draft[];
  /** The form's values when it was refused; null before. */
  typed: FormValues | null;
  /** The request of those values. */
  wanted: InvitationCreate | null;
  /** The open invitation; null while unknown. */
  pending: Invitation | null;
  /** Whether to resend or to change the open invitation. */
  choice: 'resend' | 'change';
  /** The invited address; empty before. */
  sentTo: string;
  failure: Failure | null;
};

type FormEnd = NonNullable<SnapshotFrom<typeof invitationForm>['output']>;

/** Whether the request differs from the open invitation. */
const isOther = ({ pending, wanted }: Pick<InvitationContext, 'pending' | 'wanted'>): boolean => {
  if (!pending || !wanted) return true;
  const { role, project_uuids } = wanted;
  const [was, is] = [pending.project_uuids, project_uuids ?? null].map((uuids) => uuids?.toSorted().join() ?? null);
  return role !== pending.role || (role === 'member' && was !== is);
};

export const invitationMachine = setup({
  types: {} as {
    context: InvitationContext;
    input: InvitationInput;
    events:
      | { type: 'resend.requested' }
      | { type: 'change.requested' }
      | { type: 'pending.dismissed' }
      /** Does not wait for the answer, so that the invitation may have been sent. */
      | { type: 'discard.confirmed' }
      | { type: 'discard.declined' };
    tags: 'pending' | 'loading' | 'sending' | 'asking';
    children: {
      form: 'form';
      unsavedWork: 'unsavedWork';
      loadInvitations: 'loadInvitations';
      sendInvitation: 'sendInvitation';
    };
  },
  actors: { form: invitationForm, unsavedWork, loadInvitations, sendInvitation },
  guards: {
    ...formGuards,
    isPending: (_, output: FormEnd) => output.outcome === 'refused' && isPending(output.failure),
    isOther: ({ context }) => isOther(context),
  },
  actions: {
    setRefused: assign((_, output: FormEnd) =>
      output.outcome === 'refused'
        ? { failure: output.failure, typed: output.typed, wanted: requestOf(output.typed), pending: null }
        : {},
    ),
    setPending: assign(({ context }, { invitations }: { invitations: readonly Invitation[] }) => ({
      pending: invitations.find(({ email }) => isSameEmail(email, context.wanted?.email ?? '')) ?? null,
      failure: null,
    })),
    setChoice: assign((_, { choice }: { choice: 'resend' | 'change' }) => ({ choice, failure: null })),
    setFailure: assign(failureOf),
    setSent: assign((_, { email }: Invitation) => ({ sentTo: email })),
    sendToApp: sendToApp<ToastRequested | NavigateRequested>(),
  },
}).createMachine({
  id: 'invitation',
  context: ({ input: { orgUuid, role, drafts } }) => ({
    about: { orgUuid },
    roles: assignableBy(role),
    drafts,
    typed: null,
    wanted: null,
    pending: null,
    choice: 'resend',
    sentTo: '',
    failure: null,
  }),
  initial: 'asking',
  states: {
    asking: {
      invoke: {
        id: 'form',
        src: 'form',
        input: ({ context: { about, drafts, typed } }) => ({
          about,
          draft: typed ?? draftOf(drafts, 'invitationForm', about),
        }),
        onDone: [
          { guard: withOutput('isPending'), target: 'pending', actions: withOutput('setRefused') },
          ...formEnds({ target: 'sent', actions: givenAnswer('setSent') }, { target: 'asking', reenter: true }),
        ],
      },
    },
    // The form has ended, but its values are still unsaved, and kept as a draft.
    pending: {
      tags: 'pending',
      invoke: {
        id: 'unsavedWork',
        src: 'unsavedWork',
        input: ({ context: { about, typed } }) => ({
          kind: 'form',
          scope: 'screen',
          draft: () => typed && { form: 'invitationForm', about, values: typed },
        }),
      },
      initial: 'reading',
      states: {
        reading: {
          tags: 'loading',
          invoke: {
            id: 'loadInvitations',
            src: 'loadInvitations',
            input: ({ context }) => context.about,
            onDone: {
              target: 'deciding',
              actions: { type: 'setPending', params: ({ event }) => ({ invitations: event.output }) },
            },
            // The text of the refusal names the role, which is enough.
            onError: 'deciding',
          },
          on: { 'pending.dismissed': '#invitation.asking' },
        },
        deciding: {
          on: {
            'resend.requested': { target: 'sending', actions: { type: 'setChoice', params: { choice: 'resend' } } },
            'change.requested': {
              guard: 'isOther',
              target: 'sending',
              actions: { type: 'setChoice', params: { choice: 'change' } },
            },
            'pending.dismissed': '#invitation.asking',
          },
        },
        sending: {
          tags: 'sending',
          invoke: {
            id: 'sendInvitation',
            src: 'sendInvitation',
            input: ({ context: { about, wanted, choice } }) => {
              if (!wanted) throw new Error('Nobody is invited.');
              return { about, values: { ...wanted, if_pending: choice } };
            },
            onDone: {
              target: '#invitation.sent',
              actions: withOutput('setSent'),
            },
            onError: { target: 'deciding', actions: withEvent('setFailure') },
          },
          initial: 'waiting',
          states: {
            waiting: { on: { 'pending.dismissed': 'asking' } },
            asking: {
              tags: 'asking',
              on: { 'discard.confirmed': '#invitation.asking', 'discard.declined': 'waiting' },
            },
          },
        },
      },
    },
    // Waits for the screen of the members.
    sent: {
      entry: [
        {
          type: 'sendToApp',
          params: ({ context }) => successToast(`Success! ${context.sentTo} was invited.`),
        },
        {
          type: 'sendToApp',
          params: ({ context: { about } }) => ({
            type: 'navigate.requested',
            to: { screen: 'members', orgUuid: about.orgUuid },
          }),
        },
      ],
    },
  },
});

export type InvitationActor = ActorRefFrom<typeof invitationMachine>;
