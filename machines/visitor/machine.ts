// Models the public screens besides sign-in: one state per screen, with its flow as an actor.
// Owned by the root, fetched when one of them first opens. Its output starts a session and says where it leads.
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import { emailLinkMachine } from './emailLink/machine.ts';
import { readInvitation } from './invite/actors.ts';
import { inviteMachine, type InviteNotice } from './invite/machine.ts';
import { notifyParent } from '../shared/notifyParent.ts';
import { passwordLinkMachine } from './passwordLink/machine.ts';
import type { Navigate, Route, RouteChanged } from '../shared/route.ts';
import type { SessionNotice } from '../session/machine.ts';
import { singleSignOnMachine } from './singleSignOn/machine.ts';
import { ssoCallbackMachine } from './ssoCallback/machine.ts';
import { afterSignIn } from '../shared/wayBack.ts';
import {
  afterSignUp,
  fromOf,
  invitationIn,
  invitedEmail,
  isSameVisit,
  type Invited,
  queryOf,
  tokenOf,
  type VisitorScreen,
} from './routes.ts';
import { withEvent, withOutput } from '../shared/withEvent.ts';

export type VisitorNotice = InviteNotice;

/** Tokens to start a session with; null if a flow ended without them and its screen has to begin again. */
type VisitorOutput = { tokens: TokenPair | null; to: Navigate['to'] };

type Ended = { tokens: TokenPair | null; from: string | null };

const setupVisitor = setup({
  types: {} as {
    context: { route: Route; isSignedIn: boolean; invited: Invited | null; outcome: VisitorOutput };
    input: { route: Route; isSignedIn: boolean; invited: Invited | null };
    events: RouteChanged | SessionNotice | InviteNotice;
    output: VisitorOutput;
    children: {
      signUp: 'emailLink';
      resendActivation: 'emailLink';
      passwordRecovery: 'emailLink';
      activation: 'passwordLink';
      passwordReset: 'passwordLink';
      singleSignOn: 'singleSignOn';
      ssoCallback: 'ssoCallback';
      invite: 'invite';
      readInvitation: 'readInvitation';
    };
  },
  actors: {
    emailLink: emailLinkMachine,
    passwordLink: passwordLinkMachine,
    singleSignOn: singleSignOnMachine,
    ssoCallback: ssoCallbackMachine,
    invite: inviteMachine,
    readInvitation,
  },
  guards: {
    isAt: ({ context }, { screen }: { screen: VisitorScreen }) => context.route.screen === screen,
    /** Whether the person comes from an invitation that this page has not read, as after a reload. */
    hasUnreadInvitation: ({ context: { route, invited } }) =>
      invitationIn(route) !== null && invitationIn(route) !== invited?.token,
    isNew: (_, { isNew }: { isNew: boolean }) => isNew,
    isSameVisit: ({ context }, { route }: { route: Route }) => isSameVisit(context.route, route),
  },
  actions: {
    setInvited: assign((_, { token, email }: Invited) => ({ invited: { token, email } })),
    adoptRoute: assign((_, { route }: { route: Route }) => ({ route })),
    noteSession: assign((_, { type }: Pick<SessionNotice, 'type'>) => ({ isSignedIn: type === 'session.started' })),
    setReturn: assign((_, { tokens, from }: Ended) => ({ outcome: { tokens, to: afterSignIn(from) } })),
    setBeginning: assign((_, { tokens, from }: Ended) => ({ outcome: { tokens, to: afterSignUp(from) } })),
    suggestEmail: sendTo('signUp', (_, { email }: { email: string }) => ({ type: 'email.suggested' as const, email })),
    passSession: sendTo('invite', (_, notice: SessionNotice): SessionNotice => notice),
    notifyParent: notifyParent<VisitorNotice>(),
  },
});

export const visitorMachine = setupVisitor.createMachine({
  id: 'visitor',
  context: ({ input }) => ({ ...input, outcome: { tokens: null, to: { screen: 'home' } } }),
  initial: 'deciding',
  on: {
    'route.changed': [
      { guard: withEvent('isSameVisit'), actions: withEvent('adoptRoute') },
      { target: '.deciding', actions: withEvent('adoptRoute') },
    ],
    'session.started': { actions: withEvent('noteSession') },
    'session.ended': { actions: withEvent('noteSession') },
    'invitation.read': { actions: [withEvent('setInvited'), withEvent('notifyParent')] },
    'memberships.stale': { actions: withEvent('notifyParent') },
  },
  states: {
    deciding: {
      always: [
        { guard: { type: 'isAt', params: { screen: 'signUp' } }, target: 'signUp' },
        { guard: { type: 'isAt', params: { screen: 'resendActivation' } }, target: 'resendActivation' },
        { guard: { type: 'isAt', params: { screen: 'activation' } }, target: 'activation' },
        { guard: { type: 'isAt', params: { screen: 'passwordRecovery' } }, target: 'passwordRecovery' },
        { guard: { type: 'isAt', params: { screen: 'passwordReset' } }, target: 'passwordReset' },
        { guard: { type: 'isAt', params: { screen: 'ssoCallback' } }, target: 'ssoCallback' },
        { target: 'invite' },
      ],
    },
    signUp: {
      invoke: [
        {
          id: 'signUp',
          src: 'emailLink',
          input: ({ context }) => ({
            purpose: 'signUp',
            email: invitedEmail(context.route, context.invited),
            from: fromOf(context.route),
          }),
        },
        { id: 'singleSignOn', src: 'singleSignOn', input: ({ context }) => ({ from: fromOf(context.route) }) },
      ],
      initial: 'deciding',
      states: {
        deciding: { always: [{ guard: 'hasUnreadInvitation', target: 'readingInvitation' }, { target: 'known' }] },
        readingInvitation: {
          invoke: {
            id: 'readInvitation',
            src: 'readInvitation',
            input: ({ context }) => ({ token: invitationIn(context.route) ?? '' }),
            onDone: {
              target: 'known',
              actions: [
                {
                  type: 'setInvited',
                  params: ({ context, event }) => ({
                    token: invitationIn(context.route) ?? '',
                    email: event.output.email,
                  }),
                },
                {
                  type: 'notifyParent',
                  params: ({ context, event }) => ({
                    type: 'invitation.read',
                    token: invitationIn(context.route) ?? '',
                    email: event.output.email,
                  }),
                },
                withOutput('suggestEmail'),
              ],
            },
            // The field stays empty. The invitation's own screen, where sign-up leads, shows what is wrong with it.
            onError: 'known',
          },
        },
        known: {},
      },
    },
    resendActivation: {
      invoke: { id: 'resendActivation', src: 'emailLink', input: { purpose: 'resendActivation', email: '', from: '' } },
    },
    passwordRecovery: {
      invoke: { id: 'passwordRecovery', src: 'emailLink', input: { purpose: 'passwordRecovery', email: '', from: '' } },
    },
    activation: {
      invoke: {
        id: 'activation',
        src: 'passwordLink',
        input: ({ context }) => ({ purpose: 'activation', token: tokenOf(context.route) }),
        onDone: { target: 'done', actions: withOutput('setBeginning') },
      },
    },
    passwordReset: {
      invoke: {
        id: 'passwordReset',
        src: 'passwordLink',
        input: ({ context }) => ({ purpose: 'passwordReset', token: tokenOf(context.route) }),
        onDone: { target: 'done', actions: withOutput('setReturn') },
      },
    },
    ssoCallback: {
      invoke: {
        id: 'ssoCallback',
        src: 'ssoCallback',
        input: ({ context }) => ({ query: queryOf(context.route) }),
        onDone: [
          { guard: withOutput('isNew'), target: 'done', actions: withOutput('setBeginning') },
          { target: 'done', actions: withOutput('setReturn') },
        ],
      },
    },
    invite: {
      invoke: {
        id: 'invite',
        src: 'invite',
        input: ({ context }) => ({ token: tokenOf(context.route), isSignedIn: context.isSignedIn }),
      },
      on: {
        'session.started': { actions: [withEvent('noteSession'), withEvent('passSession')] },
        'session.ended': { actions: [withEvent('noteSession'), withEvent('passSession')] },
      },
    },
    done: { type: 'final' },
  },
  output: ({ context }) => context.outcome,
});

export type VisitorActor = ActorRefFrom<typeof visitorMachine>;
