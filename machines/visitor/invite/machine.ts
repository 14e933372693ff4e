// Models an invitation's link, for the invited person, somebody else, or nobody signed in; and joining (ACC-10).
// Owned by the visitor, while the link is open. Tells it whom the invitation is for, and that somebody joined.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { isSameEmail } from '#contract/emails.ts';
import type { InvitationView } from '#contract/members.ts';
import { type Failure, failureOf, toFailure } from '../../shared/failure.ts';
import { refusalOf, type LinkRefusal } from '../linkRefusal.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { sendToApp, type SignOutRequested } from '../../shared/appServices.ts';
import type { SessionNotice } from '../../session/machine.ts';
import type { MembershipsStale } from '../../shared/membershipsStale.ts';
import { acceptInvitation, readInvitation, readUser } from './actors.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';

/** The link's invitation is for `email`. */
export type InvitationRead = { type: 'invitation.read'; token: string; email: string };
export type InviteNotice = MembershipsStale | InvitationRead;

type InviteContext = {
  token: string;
  isSignedIn: boolean;
  invitation: InvitationView | null;
  /** E-mail of the signed-in user. */
  email: string;
  orgUuid: string | null;
  failure: Failure | null;
};

const setupInvite = setup({
  types: {} as {
    context: InviteContext;
    input: { token: string; isSignedIn: boolean };
    events: SessionNotice | { type: 'retry.requested' } | { type: 'accept.requested' } | { type: 'signOut.requested' };
    tags:
      | 'loading'
      | 'invalid'
      | 'used'
      | 'expired'
      | 'revoked'
      | 'failed'
      | 'signedOut'
      | 'wrongUser'
      | 'leaving'
      | 'invited'
      | 'accepting'
      | 'joined';
    children: { readInvitation: 'readInvitation'; readUser: 'readUser'; acceptInvitation: 'acceptInvitation' };
  },
  actors: { readInvitation, readUser, acceptInvitation },
  guards: {
    isSignedIn: ({ context }) => context.isSignedIn,
    isFor: ({ context }, reason: LinkRefusal) => refusalOf(context.failure) === reason,
    isInvited: ({ context }, { email }: { email: string }) =>
      context.invitation !== null && isSameEmail(email, context.invitation.email),
    isRead: ({ context }) => context.invitation !== null,
    isOfNoUse: (_, { error }: { error: unknown }) => refusalOf(toFailure(error)) !== null,
    isForSomebodyElse: (_, { error }: { error: unknown }) => toFailure(error).errorType === 'wrong_user',
  },
  actions: {
    noteSignedIn: assign({ isSignedIn: true }),
    noteSignedOut: assign({ isSignedIn: false, email: '' }),
    setInvitation: assign((_, { invitation }: { invitation: InvitationView }) => ({ invitation })),
    setEmail: assign((_, { email }: { email: string }) => ({ email })),
    setOrganization: assign((_, { orgUuid }: { orgUuid: string }) => ({ orgUuid })),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
    notifyParent: notifyParent<InviteNotice>(),
    sendToApp: sendToApp<SignOutRequested>(),
  },
});

export const inviteMachine = setupInvite.createMachine({
  id: 'invite',
  context: ({ input }) => ({ ...input, invitation: null, email: '', orgUuid: null, failure: null }),
  initial: 'reading',
  // Another tab may sign in or out, too. The invitation need not be read again.
  on: {
    'session.started': [
      { guard: 'isRead', target: '.readingUser', actions: ['noteSignedIn', 'clearFailure'] },
      { actions: 'noteSignedIn' },
    ],
    'session.ended': [
      { guard: 'isRead', target: '.signedOut', actions: ['noteSignedOut', 'clearFailure'] },
      { actions: 'noteSignedOut' },
    ],
  },
  states: {
    reading: {
      tags: 'loading',
      invoke: {
        id: 'readInvitation',
        src: 'readInvitation',
        input: ({ context }) => ({ token: context.token }),
        onDone: {
          target: 'deciding',
          actions: [
            { type: 'setInvitation', params: ({ event }) => ({ invitation: event.output }) },
            {
              type: 'notifyParent',
              params: ({ context, event }) => ({
                type: 'invitation.read',
                token: context.token,
                email: event.output.email,
              }),
            },
          ],
        },
        onError: { target: 'refused', actions: withEvent('setFailure') },
      },
    },
    deciding: { always: [{ guard: 'isSignedIn', target: 'readingUser' }, { target: 'signedOut' }] },
    readingUser: {
      tags: 'loading',
      invoke: {
        id: 'readUser',
        src: 'readUser',
        onDone: [
          {
            guard: withOutput('isInvited'),
            target: 'invited',
            actions: withOutput('setEmail'),
          },
          { target: 'wrongUser', actions: withOutput('setEmail') },
        ],
        onError: { target: 'refused', actions: withEvent('setFailure') },
      },
    },
    refused: {
      always: [
        { guard: { type: 'isFor', params: 'used' }, target: 'invalid.used' },
        { guard: { type: 'isFor', params: 'expired' }, target: 'invalid.expired' },
        { guard: { type: 'isFor', params: 'revoked' }, target: 'invalid.revoked' },
        { guard: { type: 'isFor', params: 'unknown' }, target: 'invalid.unknown' },
        { target: 'failed' },
      ],
    },
    invalid: {
      tags: 'invalid',
      initial: 'unknown',
      on: { 'session.started': { actions: 'noteSignedIn' }, 'session.ended': { actions: 'noteSignedOut' } },
      states: { used: { tags: 'used' }, expired: { tags: 'expired' }, revoked: { tags: 'revoked' }, unknown: {} },
    },
    failed: { tags: 'failed', on: { 'retry.requested': { target: 'reading', actions: 'clearFailure' } } },
    signedOut: { tags: 'signedOut' },
    wrongUser: {
      tags: 'wrongUser',
      on: {
        'signOut.requested': {
          target: 'signingOut',
          actions: { type: 'sendToApp', params: { type: 'signOut.requested' } },
        },
      },
    },
    // Waits for `session.ended`.
    signingOut: { tags: ['wrongUser', 'leaving'] },
    invited: {
      tags: 'invited',
      on: { 'accept.requested': { target: 'accepting', actions: 'clearFailure' } },
    },
    accepting: {
      tags: ['invited', 'accepting'],
      invoke: {
        id: 'acceptInvitation',
        src: 'acceptInvitation',
        input: ({ context }) => ({ token: context.token }),
        onDone: {
          target: 'joined',
          actions: [
            { type: 'setOrganization', params: ({ event }) => ({ orgUuid: event.output.organization.uuid }) },
            {
              type: 'notifyParent',
              params: ({ event }) => ({
                type: 'memberships.stale',
                route: { screen: 'organization', orgUuid: event.output.organization.uuid },
              }),
            },
          ],
        },
        onError: [
          // Another tab has signed somebody else in.
          { guard: withEvent('isForSomebodyElse'), target: 'readingUser', actions: withEvent('setFailure') },
          { guard: withEvent('isOfNoUse'), target: 'refused', actions: withEvent('setFailure') },
          { target: 'invited', actions: withEvent('setFailure') },
        ],
      },
    },
    // The workspace opens the organization; the view has a link in case it cannot.
    joined: {
      tags: 'joined',
      on: { 'session.started': { actions: 'noteSignedIn' }, 'session.ended': { actions: 'noteSignedOut' } },
    },
  },
});

export type InviteActor = ActorRefFrom<typeof inviteMachine>;
