// Models the whole page: who is signed in, which screen shows, and everything that lives beneath.
// Created once in src/main.tsx before the router loads; its outside actors are provided there.
import { assign, emit, sendTo, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import type { PageSettings } from '#contract/settings.ts';
import { activationMachine } from '../activation/machine.ts';
import { clipboardMachine } from '../clipboard/machine.ts';
import { toFailure, type Failure } from '../failure.ts';
import type { LeftDrafts } from '../form/drafts.ts';
import type { FormResult } from '../form/machine.ts';
import { preferencesMachine } from '../preferences/machine.ts';
import type { Navigate, Route, RouteChanged } from '../route.ts';
import { sessionMachine, type SessionEnded, type SessionEvent, type SessionTold } from '../session/machine.ts';
import { signInMachine } from '../signIn/machine.ts';
import { signUpMachine } from '../signUp/machine.ts';
import { switcherMachine } from '../switcher/machine.ts';
import { toastsMachine, type ToastRequested } from '../toasts/machine.ts';
import type { WorkspaceTold } from '../workspace/machine.ts';
import { fetchConsole, workspace } from './actors.ts';
import { leftBehind } from './left.ts';
import { afterSignIn, tokenOf } from './routes.ts';

export type RootInput = {
  settings: PageSettings;
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
};

type WorkspaceRecovered = { type: 'workspace.recovered' };

export type RootEvent = RouteChanged | SessionTold | WorkspaceTold;

/** The tokens of an accepted sign-in. */
const tokensOf = (result: FormResult<TokenPair, unknown>): TokenPair | null => (result.outcome === 'done' ? result.answer : null);

export const rootMachine = setup({
  types: {} as {
    /** `left` outlives a session that ended by itself: what was typed then goes back to the same person. */
    context: RootInput & { route: Route; failure: Failure | null; left: LeftDrafts | null };
    input: RootInput;
    events: RootEvent;
    /** `session.ended` and `workspace.recovered` let the router look again; on `signedOut` a `navigate` to sign-in comes with it. */
    emitted: Navigate | SessionEnded | WorkspaceRecovered;
    tags: 'crashed' | 'signedIn';
    children: {
      session: 'session';
      toasts: 'toasts';
      preferences: 'preferences';
      clipboard: 'clipboard';
      switcher: 'switcher';
      fetchConsole: 'fetchConsole';
      workspace: 'workspace';
      signIn: 'signIn';
      signUp: 'signUp';
      resendActivation: 'signUp';
      activation: 'activation';
    };
  },
  actors: {
    session: sessionMachine,
    toasts: toastsMachine,
    preferences: preferencesMachine,
    clipboard: clipboardMachine,
    switcher: switcherMachine,
    fetchConsole,
    workspace,
    signIn: signInMachine,
    signUp: signUpMachine,
    activation: activationMachine,
  },
  guards: {
    isScreen: (_, { route, screen }: { route: Route; screen: Route['screen'] }) => route.screen === screen,
    isSameActivation: ({ context }, { route }: { route: Route }) => route.screen === 'activation' && tokenOf(route) === tokenOf(context.route),
    isSignOut: (_, { reason }: { reason: SessionEnded['reason'] }) => reason === 'signedOut',
    isAccepted: (_, { outcome }: { outcome: FormResult<unknown, unknown>['outcome'] }) => outcome === 'done',
    isChildError: ({ event }) => event.type.startsWith('xstate.error.'),
    isActivated: (_, { tokens }: { tokens: TokenPair | null }) => tokens !== null,
  },
  actions: {
    adoptRoute: assign((_, { route }: { route: Route }) => ({ route })),
    keepUnforeseen: assign(({ event }) => ({ failure: toFailure('error' in event ? event.error : null) })),
    keepFailure: assign((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
    keepLeft: assign(({ context, self }) => ({ left: leftBehind(self) ?? context.left })),
    forgetLeft: assign({ left: null }),
    startSession: sendTo('session', (_, { tokens }: { tokens: TokenPair | null }): SessionEvent => {
      if (tokens === null) throw new Error('A session needs tokens.');
      return { type: 'signIn.succeeded', tokens };
    }),
    passRoute: sendTo('workspace', (_, { route }: { route: Route }): RouteChanged => ({ type: 'route.changed', route })),
    closeDrawer: sendTo('preferences', { type: 'drawer.close.requested' as const }),
    closeSwitcher: sendTo('switcher', { type: 'switcher.dismissed' as const }),
    passToast: sendTo('toasts', (_, { kind, text }: Omit<ToastRequested, 'type'>): ToastRequested => ({ type: 'toast.requested', kind, text })),
    navigate: emit((_, { to, replace }: Omit<Navigate, 'type'>): Navigate => ({ type: 'navigate', to, ...(replace === undefined ? {} : { replace }) })),
    announceRecovery: emit((): WorkspaceRecovered => ({ type: 'workspace.recovered' })),
    announceEnd: emit((_, end: SessionEnded): SessionEnded => end),
  },
}).createMachine({
  id: 'root',
  context: ({ input }) => ({ ...input, route: { screen: 'home' }, failure: null, left: null }),
  invoke: [
    { id: 'session', src: 'session', systemId: 'session', onError: { target: '.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } } },
    { id: 'toasts', src: 'toasts', onError: { target: '.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } } },
    { id: 'preferences', src: 'preferences', onError: { target: '.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } } },
    { id: 'clipboard', src: 'clipboard', onError: { target: '.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } } },
    { id: 'switcher', src: 'switcher', onError: { target: '.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } } },
  ],
  on: {
    'toast.requested': { actions: { type: 'passToast', params: ({ event }) => event } },
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
            signedOut: { on: { 'session.started': 'signedIn' } },
            signedIn: {
              tags: 'signedIn',
              initial: 'fetching',
              on: {
                // Another person, or the same one anew: nothing of before is kept.
                'session.started': { target: 'signedIn', reenter: true },
                'session.ended': [
                  {
                    guard: { type: 'isSignOut', params: ({ event }) => event },
                    target: 'signedOut',
                    actions: ['forgetLeft', { type: 'navigate', params: { to: { screen: 'signIn' } } }, { type: 'announceEnd', params: ({ event }) => event }],
                  },
                  { target: 'signedOut', actions: { type: 'announceEnd', params: ({ event }) => event } },
                ],
              },
              states: {
                fetching: {
                  invoke: {
                    id: 'fetchConsole',
                    src: 'fetchConsole',
                    onDone: 'open',
                    onError: { target: '#root.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } },
                  },
                },
                open: {
                  exit: 'keepLeft',
                  invoke: {
                    id: 'workspace',
                    src: 'workspace',
                    input: ({ context: { route, browserLanguages, left } }) => ({ route, browserLanguages, left }),
                    onError: { target: '#root.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } },
                  },
                  on: {
                    'route.changed': { actions: { type: 'passRoute', params: ({ event }) => event } },
                    'navigate.requested': { actions: { type: 'navigate', params: ({ event }) => event } },
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
              { guard: { type: 'isScreen', params: ({ event }) => ({ route: event.route, screen: 'signIn' }) }, target: '.signIn', actions: [{ type: 'adoptRoute', params: ({ event }) => event }, 'closeDrawer', 'closeSwitcher'] },
              { guard: { type: 'isScreen', params: ({ event }) => ({ route: event.route, screen: 'signUp' }) }, target: '.signUp', actions: [{ type: 'adoptRoute', params: ({ event }) => event }, 'closeDrawer', 'closeSwitcher'] },
              { guard: { type: 'isScreen', params: ({ event }) => ({ route: event.route, screen: 'resendActivation' }) }, target: '.resendActivation', actions: [{ type: 'adoptRoute', params: ({ event }) => event }, 'closeDrawer', 'closeSwitcher'] },
              { guard: { type: 'isScreen', params: ({ event }) => ({ route: event.route, screen: 'activation' }) }, target: '.activation', actions: [{ type: 'adoptRoute', params: ({ event }) => event }, 'closeDrawer', 'closeSwitcher'] },
              { target: '.other', actions: [{ type: 'adoptRoute', params: ({ event }) => event }, 'closeDrawer', 'closeSwitcher'] },
            ],
          },
          states: {
            other: {},
            signIn: {
              invoke: {
                id: 'signIn',
                src: 'signIn',
                input: {},
                onDone: [
                  {
                    guard: { type: 'isAccepted', params: ({ event }) => event.output },
                    target: 'entering',
                    actions: { type: 'startSession', params: ({ event }) => ({ tokens: tokensOf(event.output) }) },
                  },
                  { target: 'signIn', reenter: true },
                ],
                onError: { target: '#root.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } },
              },
              on: {
                'route.changed': { guard: { type: 'isScreen', params: ({ event }) => ({ route: event.route, screen: 'signIn' }) }, actions: { type: 'adoptRoute', params: ({ event }) => event } },
                // Another tab signed in.
                'session.started': { target: 'entering', actions: { type: 'navigate', params: ({ context }) => ({ to: afterSignIn(context.route), replace: true }) } },
              },
            },
            entering: {
              on: { 'session.started': { actions: { type: 'navigate', params: ({ context }) => ({ to: afterSignIn(context.route), replace: true }) } } },
            },
            signUp: {
              invoke: { id: 'signUp', src: 'signUp', input: { purpose: 'signUp' }, onError: { target: '#root.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } }, },
              on: { 'route.changed': { guard: { type: 'isScreen', params: ({ event }) => ({ route: event.route, screen: 'signUp' }) }, actions: { type: 'adoptRoute', params: ({ event }) => event } }, },
            },
            resendActivation: {
              invoke: { id: 'resendActivation', src: 'signUp', input: { purpose: 'resendActivation' }, onError: { target: '#root.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } }, },
              on: { 'route.changed': { guard: { type: 'isScreen', params: ({ event }) => ({ route: event.route, screen: 'resendActivation' }) }, actions: { type: 'adoptRoute', params: ({ event }) => event } }, },
            },
            activation: {
              invoke: {
                id: 'activation',
                src: 'activation',
                input: ({ context }) => ({ token: tokenOf(context.route) ?? '' }),
                onDone: [
                  {
                    guard: { type: 'isActivated', params: ({ event }) => ({ tokens: event.output }) },
                    target: 'activated',
                    actions: { type: 'startSession', params: ({ event }) => ({ tokens: event.output }) },
                  },
                  { target: 'activation', reenter: true },
                ],
                onError: { target: '#root.crashed', actions: { type: 'keepFailure', params: ({ event }) => event } },
              },
              on: {
                'route.changed': { guard: { type: 'isSameActivation', params: ({ event }) => event }, actions: { type: 'adoptRoute', params: ({ event }) => event } },
              },
            },
            // A new account may have no organization yet; the user's page is the one that needs none.
            activated: {
              on: { 'session.started': { actions: { type: 'navigate', params: { to: { screen: 'user' }, replace: true } } } },
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
