// Models the whole page: who is signed in, which screen shows, and everything that lives beneath.
// Created once in src/main.tsx before the router loads; its outside actors are provided there.
import { and, assign, emit, sendTo, setup, stateIn, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import type { PageSettings } from '#contract/settings.ts';
import { clipboardMachine } from './clipboard/machine.ts';
import { type Failure, failureOf, toFailure } from '../shared/failure.ts';
import type { LeftDrafts } from '../shared/form/drafts.ts';
import type { FormResult } from '../shared/form/machine.ts';
import { preferencesMachine } from './preferences/machine.ts';
import type { Navigate, Route, RouteChanged } from '../shared/route.ts';
import { sessionMachine, type SessionEnded, type SessionEvent, type SessionTold } from '../session/machine.ts';
import { signInMachine } from '../visitor/signIn/machine.ts';
import { singleSignOnMachine } from '../visitor/singleSignOn/machine.ts';
import { switcherMachine } from './switcher/machine.ts';
import { toastsMachine } from './toasts/machine.ts';
import type { VisitorTold } from '../visitor/machine.ts';
import { fromOf, invitedEmail, type Invited } from '../visitor/routes.ts';
import type { WorkspaceTold } from '../workspace/machine.ts';
import type { MembershipsStale } from '../workspace/context.ts';
import { fetchConsole, fetchVisitor, navigation, visitor, workspace } from './actors.ts';
import type { NavigateRequested } from '../shared/residents.ts';
import { leftBehind } from './left.ts';
import { afterSignIn, partOf, type Part } from './routes.ts';
import { given, givenOutput } from '../shared/given.ts';

export type RootInput = {
  settings: PageSettings;
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
};

type WorkspaceRecovered = { type: 'workspace.recovered' };

export type RootEvent =
  | RouteChanged
  | SessionTold
  | WorkspaceTold
  | VisitorTold
  | NavigateRequested
  | { type: 'retry.requested' };

/** How a session can end without its person. */
export type Farewell = Exclude<SessionEnded['reason'], 'signedOut'>;

/** The tokens of an accepted sign-in. */
const tokensOf = (result: FormResult<TokenPair, unknown>): TokenPair | null =>
  result.outcome === 'done' ? result.answer : null;

export const rootMachine = setup({
  types: {} as {
    /** `left` outlives a session that ended by itself: what was typed then goes back to the same person. */
    context: RootInput & {
      route: Route;
      isSignedIn: boolean;
      /** Where the session that is about to start leads; null while none is. */
      onward: Navigate['to'] | null;
      failure: Failure | null;
      left: LeftDrafts | null;
      /** Of the invitation that was read last: sign-in and sign-up begin with its address. */
      invited: Invited | null;
      /** Why the person is signed out, where they did not do so themselves here. */
      farewell: Farewell | null;
    };
    input: RootInput;
    events: RootEvent;
    /** `session.ended` and `workspace.recovered` let the router look again; on `signedOut` a `navigate` to sign-in comes with it. */
    emitted: Navigate | SessionEnded | WorkspaceRecovered;
    tags: 'crashed' | 'signedIn' | 'visitorFailed';
    children: {
      session: 'session';
      toasts: 'toasts';
      navigation: 'navigation';
      preferences: 'preferences';
      clipboard: 'clipboard';
      switcher: 'switcher';
      fetchConsole: 'fetchConsole';
      workspace: 'workspace';
      signIn: 'signIn';
      singleSignOn: 'singleSignOn';
      fetchVisitor: 'fetchVisitor';
      visitor: 'visitor';
    };
  },
  actors: {
    session: sessionMachine,
    toasts: toastsMachine,
    navigation,
    preferences: preferencesMachine,
    clipboard: clipboardMachine,
    switcher: switcherMachine,
    fetchConsole,
    workspace,
    signIn: signInMachine,
    singleSignOn: singleSignOnMachine,
    fetchVisitor,
    visitor,
  },
  guards: {
    isAtPart: (_, { route, part }: { route: Route; part: Part }) => partOf(route) === part,
    // Who enters is between two parts.
    isSamePart: ({ context }, { route }: { route: Route }) =>
      context.onward === null && partOf(context.route) === partOf(route),
    isForVisitor: ({ event }) => event.type === 'route.changed' && partOf(event.route) === 'visitor',
    isVisiting: stateIn({ running: { screen: { visitor: 'open' } } }),
    leadsSomewhere: (_, { route }: { route: Route | null }) => route !== null,
    isSignOut: ({ event }) => event.type === 'session.ended' && event.reason === 'signedOut',
    isChildError: ({ event }) => event.type.startsWith('xstate.error.'),
    hasTokens: (_, { tokens }: { tokens: TokenPair | null }) => tokens !== null,
  },
  actions: {
    keepInvited: assign((_, { token, email }: Invited) => ({ invited: { token, email } })),
    adoptRoute: assign((_, { route }: { route: Route }) => ({ route })),
    keepUnforeseen: assign(({ event }) => ({ failure: toFailure('error' in event ? event.error : null) })),
    keepFailure: assign(failureOf),
    keepLeft: assign(({ context, self }) => ({ left: leftBehind(self) ?? context.left })),
    forgetLeft: assign({ left: null }),
    keepFarewell: assign((_, { reason }: { reason: SessionEnded['reason'] }) => ({
      farewell: reason === 'signedOut' ? null : reason,
    })),
    forgetFarewell: assign({ farewell: null }),
    startSession: sendTo('session', (_, { tokens }: { tokens: TokenPair | null }): SessionEvent => {
      if (tokens === null) throw new Error('A session needs tokens.');
      return { type: 'signIn.succeeded', tokens };
    }),
    keepOnward: assign((_, { to }: { to: Navigate['to'] }) => ({ onward: to })),
    forgetOnward: assign({ onward: null }),
    noteSignedIn: assign({ isSignedIn: true }),
    noteSignedOut: assign({ isSignedIn: false }),
    passToVisitor: sendTo('visitor', (_, { route }: { route: Route }): RouteChanged => ({
      type: 'route.changed',
      route,
    })),
    passSession: sendTo('visitor', (_, told: SessionTold): SessionTold => told),
    passStale: sendTo('workspace', (_, { route }: { route: Route | null }): MembershipsStale => ({
      type: 'memberships.stale',
      route,
    })),
    passRoute: sendTo('workspace', (_, { route }: { route: Route }): RouteChanged => ({
      type: 'route.changed',
      route,
    })),
    closeDrawer: sendTo('preferences', { type: 'drawer.close.requested' as const }),
    closeSwitcher: sendTo('switcher', { type: 'switcher.dismissed' as const }),
    navigate: emit((_, { to, replace }: Omit<Navigate, 'type'>): Navigate => ({
      type: 'navigate',
      to,
      ...(replace === undefined ? {} : { replace }),
    })),
    announceRecovery: emit((): WorkspaceRecovered => ({ type: 'workspace.recovered' })),
    announceEnd: emit((_, end: SessionEnded): SessionEnded => end),
  },
}).createMachine({
  id: 'root',
  context: ({ input }) => ({
    ...input,
    route: { screen: 'home' },
    isSignedIn: false,
    onward: null,
    failure: null,
    left: null,
    farewell: null,
    invited: null,
  }),
  // What charts anywhere may speak to has a name; see shared/residents.ts.
  invoke: [
    { id: 'session', src: 'session', systemId: 'session' },
    { id: 'toasts', src: 'toasts', systemId: 'toasts' },
    { id: 'navigation', src: 'navigation', systemId: 'navigation' },
    { id: 'preferences', src: 'preferences' },
    { id: 'clipboard', src: 'clipboard' },
    { id: 'switcher', src: 'switcher' },
  ],
  on: {
    'navigate.requested': { actions: given('navigate') },
    // Whatever fails below without an answer of its own ends on the error screen, not in a dead page.
    '*': { guard: 'isChildError', target: '.crashed', actions: 'keepUnforeseen' },
  },
  initial: 'running',
  states: {
    running: {
      type: 'parallel',
      states: {
        account: {
          initial: 'signedOut',
          states: {
            signedOut: {
              on: {
                'session.started': 'signedIn',
                // Found to be over as the page was loaded.
                'session.ended': { actions: given('keepFarewell') },
              },
            },
            signedIn: {
              tags: 'signedIn',
              entry: ['noteSignedIn', 'forgetFarewell'],
              exit: 'noteSignedOut',
              initial: 'fetching',
              on: {
                // Another person, or the same one anew: nothing of before is kept.
                'session.started': { target: 'signedIn', reenter: true },
                'session.ended': [
                  // Who signed out on a visitor's screen goes on there.
                  {
                    guard: and(['isVisiting', 'isSignOut']),
                    target: 'signedOut',
                    actions: ['forgetLeft', given('announceEnd')],
                  },
                  {
                    guard: 'isSignOut',
                    target: 'signedOut',
                    actions: [
                      'forgetLeft',
                      { type: 'navigate', params: { to: { screen: 'signIn' } } },
                      given('announceEnd'),
                    ],
                  },
                  { target: 'signedOut', actions: [given('keepFarewell'), given('announceEnd')] },
                ],
              },
              states: {
                fetching: {
                  invoke: {
                    id: 'fetchConsole',
                    src: 'fetchConsole',
                    onDone: 'open',
                    onError: { target: '#root.crashed', actions: given('keepFailure') },
                  },
                  // A workspace that starts later reads the memberships by itself.
                  on: {
                    'memberships.stale': {
                      guard: given('leadsSomewhere'),
                      actions: { type: 'navigate', params: ({ event }) => ({ to: event.route ?? { screen: 'home' } }) },
                    },
                  },
                },
                open: {
                  exit: 'keepLeft',
                  invoke: {
                    id: 'workspace',
                    src: 'workspace',
                    input: ({ context: { route, browserLanguages, left } }) => ({ route, browserLanguages, left }),
                  },
                  on: {
                    'route.changed': { actions: given('passRoute') },
                    'memberships.stale': { actions: given('passStale') },
                    'workspace.recovered': { actions: 'announceRecovery' },
                  },
                },
              },
            },
          },
        },
        screen: {
          initial: 'other',
          on: {
            'route.changed': [
              {
                guard: and(['isVisiting', 'isForVisitor']),
                actions: [given('adoptRoute'), 'closeDrawer', 'closeSwitcher', given('passToVisitor')],
              },
              {
                guard: given('isSamePart'),
                actions: [given('adoptRoute'), 'closeDrawer', 'closeSwitcher'],
              },
              { target: '.deciding', actions: [given('adoptRoute'), 'closeDrawer', 'closeSwitcher'] },
            ],
          },
          states: {
            deciding: {
              always: [
                {
                  guard: { type: 'isAtPart', params: ({ context }) => ({ route: context.route, part: 'signIn' }) },
                  target: 'signIn',
                },
                {
                  guard: { type: 'isAtPart', params: ({ context }) => ({ route: context.route, part: 'visitor' }) },
                  target: 'visitor',
                },
                { target: 'other' },
              ],
            },
            other: {},
            signIn: {
              invoke: [
                {
                  id: 'signIn',
                  src: 'signIn',
                  input: ({ context }) => ({ initial: { email: invitedEmail(context.route, context.invited) } }),
                  onDone: [
                    {
                      guard: { type: 'hasTokens', params: ({ event }) => ({ tokens: tokensOf(event.output) }) },
                      target: 'entering',
                      actions: [
                        { type: 'keepOnward', params: ({ context }) => ({ to: afterSignIn(context.route) }) },
                        { type: 'startSession', params: ({ event }) => ({ tokens: tokensOf(event.output) }) },
                      ],
                    },
                    { target: 'signIn', reenter: true },
                  ],
                },
                {
                  id: 'singleSignOn',
                  src: 'singleSignOn',
                  input: ({ context }) => ({ from: fromOf(context.route) }),
                },
              ],
              // Another tab signed in.
              on: {
                'session.started': {
                  target: 'entering',
                  actions: {
                    type: 'navigate',
                    params: ({ context }) => ({ to: afterSignIn(context.route), replace: true }),
                  },
                },
              },
            },
            visitor: {
              initial: 'fetching',
              states: {
                fetching: { invoke: { id: 'fetchVisitor', src: 'fetchVisitor', onDone: 'open', onError: 'failed' } },
                failed: { tags: 'visitorFailed', on: { 'retry.requested': 'fetching' } },
                open: {
                  invoke: {
                    id: 'visitor',
                    src: 'visitor',
                    input: ({ context }) => ({
                      route: context.route,
                      isSignedIn: context.isSignedIn,
                      invited: context.invited,
                    }),
                    onDone: [
                      {
                        guard: givenOutput('hasTokens'),
                        target: '#root.running.screen.entering',
                        actions: [givenOutput('keepOnward'), givenOutput('startSession')],
                      },
                      { target: 'open', reenter: true },
                    ],
                  },
                  on: {
                    'session.started': { actions: given('passSession') },
                    'session.ended': { actions: given('passSession') },
                    'invitation.read': { actions: given('keepInvited') },
                  },
                },
              },
            },
            entering: {
              exit: 'forgetOnward',
              on: {
                'session.started': {
                  actions: {
                    type: 'navigate',
                    params: ({ context }) => ({ to: context.onward ?? { screen: 'home' }, replace: true }),
                  },
                },
              },
            },
          },
        },
      },
    },
    crashed: { tags: 'crashed' },
  },
});

export type RootActor = ActorRefFrom<typeof rootMachine>;
export type RootSnapshot = SnapshotFrom<typeof rootMachine>;
