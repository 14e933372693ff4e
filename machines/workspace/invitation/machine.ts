// Models inviting somebody into an organization: the form, the question where an invitation of theirs is open already, and the way back to
// the members once it is sent (ORG-05, CON-03).
// Owned by the workspace while the screen is open.
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { isSameEmail } from '#contract/emails.ts';
import type { Invitation, InvitationCreate } from '#contract/members.ts';
import { assignableBy, type Role } from '#contract/roles.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import type { ToastRequested } from '../../root/toasts/machine.ts';
import { draftOf, type Draft, type StandIn } from '../../shared/form/drafts.ts';
import { formEnds, formGuards, givenAnswer } from '../../shared/form/ends.ts';
import type { FormValues } from '../../shared/form/types.ts';
import { unsavedWork } from '../../shared/unsavedWork.ts';
import { sendToApp, type NavigateRequested } from '../../shared/appServices.ts';
import { loadInvitations, sendInvitation } from './actors.ts';
import { invitationForm, isPending, requestOf } from './form.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { done } from '../say.ts';

type InvitationInput = {
  orgUuid: string;
  /** Of who invites. */
  role: Role;
  /** What was typed before the session ended in the middle. */
  drafts: readonly Draft[];
};

type InvitationContext = {
  /** The organization. */
  about: { orgUuid: string };
  /** Those that may be given. */
  roles: readonly Role[];
  drafts: readonly Draft[];
  /** What the form held when it was refused; null before. */
  typed: FormValues | null;
  /** What that asks for. */
  wanted: InvitationCreate | null;
  /** The invitation that is open already; null while it is not known. */
  pending: Invitation | null;
  /** What becomes of it. */
  choice: 'resend' | 'change';
  /** The address it went to; empty before. */
  sentTo: string;
  failure: Failure | null;
};

type FormEnd = NonNullable<SnapshotFrom<typeof invitationForm>['output']>;

/** Whether what is wanted is not what the open invitation offers. */
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
      /** The answer is not waited for: nobody knows then whether the invitation was sent. */
      | { type: 'discard.confirmed' }
      | { type: 'discard.declined' };
    tags: 'pending' | 'loading' | 'sending' | 'asking';
    meta: StandIn;
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
    // The form has ended, but what was typed in it is still unsaved, and kept.
    pending: {
      tags: 'pending',
      meta: { typedFor: 'invitationForm' },
      invoke: { id: 'unsavedWork', src: 'unsavedWork', input: { kind: 'form', scope: 'screen' } },
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
            // What the refusal said has to do; it names the role.
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
    // Until the screen of the members is there.
    sent: {
      entry: [
        {
          type: 'sendToApp',
          params: ({ context }) => done(`Success! ${context.sentTo} was invited.`),
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
