// Models inviting somebody into an organization: the form, and the way back to its members once the invitation is sent.
// Owned by the workspace while the screen is open.
import { setup, type ActorRefFrom } from 'xstate';
import { assignableBy, type Role } from '#contract/roles.ts';
import type { ToastRequested } from '../toasts/machine.ts';
import { draftOf, type Draft } from '../form/drafts.ts';
import { tellParent } from '../parent.ts';
import type { Route } from '../route.ts';
import { invitationForm } from './form.ts';

/** What the parent hears. */
export type InvitationTold = ToastRequested | { type: 'navigate.requested'; to: Route };

type InvitationInput = {
  orgUuid: string;
  /** Of who invites. */
  role: Role;
  /** What was typed before the session ended in the middle. */
  drafts: readonly Draft[];
};

export const invitationMachine = setup({
  types: {} as {
    /** `roles` are those that may be given. */
    context: { orgUuid: string; roles: readonly Role[]; drafts: readonly Draft[] };
    input: InvitationInput;
    children: { form: 'form' };
  },
  actors: { form: invitationForm },
  guards: { isSent: (_, { outcome }: { outcome: string }) => outcome === 'done' },
  actions: { tell: tellParent<InvitationTold>() },
}).createMachine({
  id: 'invitation',
  context: ({ input: { orgUuid, role, drafts } }) => ({ orgUuid, roles: assignableBy(role), drafts }),
  initial: 'asking',
  states: {
    asking: {
      invoke: {
        id: 'form',
        src: 'form',
        input: ({ context: { orgUuid, drafts } }) => ({ initial: { orgUuid }, draft: draftOf(drafts, 'invitationForm', { orgUuid }) }),
        onDone: [
          {
            guard: { type: 'isSent', params: ({ event }) => event.output },
            target: 'sent',
            actions: [
              { type: 'tell', params: ({ event: { output } }) => ({ type: 'toast.requested', kind: 'success', text: output.outcome === 'done' ? `Success! Invitation was sent to ${output.answer.email}.` : '' }) },
              { type: 'tell', params: ({ context }) => ({ type: 'navigate.requested', to: { screen: 'members', orgUuid: context.orgUuid } }) },
            ],
          },
          { target: 'asking', reenter: true },
        ],
        onError: { target: 'asking', reenter: true },
      },
    },
    // Until the screen of the members is there.
    sent: {},
  },
});

export type InvitationActor = ActorRefFrom<typeof invitationMachine>;
