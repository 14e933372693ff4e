// Models the whole page: whether somebody is signed in, which part shows, and all actors below.
// src/main.tsx creates it once, before the router loads, and provides its effects.
import { and, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { fromOf, invitedEmail } from '../visitor/routes.ts';
import { afterSignIn } from '../shared/wayBack.ts';
import { withEvent, withOutput } from '../shared/withEvent.ts';
import { setupRoot, tokensOf } from './setup.ts';

export const rootMachine = setupRoot.createMachine({
  id: 'root',
  context: ({ input }) => ({
    ...input,
    keptDrafts: input.keptDrafts ?? null,
    route: { screen: 'home' },
    isSignedIn: false,
    redirectTo: null,
    failure: null,
    signOutReason: null,
    invited: null,
  }),
  // The app services have a `systemId`, by which any chart reaches them: see shared/appServices.ts.
  invoke: [
    { id: 'session', src: 'session', systemId: 'session' },
    { id: 'toasts', src: 'toasts', systemId: 'toasts' },
    { id: 'navigation', src: 'navigation', systemId: 'navigation' },
    { id: 'preferences', src: 'preferences', systemId: 'preferences' },
    { id: 'clipboard', src: 'clipboard' },
    { id: 'switcher', src: 'switcher' },
    { id: 'parts', src: 'parts' },
  ],
  on: {
    'navigate.requested': { actions: withEvent('navigate') },
    // The workspace asks about unsaved work first.
    'reload.requested': [{ guard: 'isWorkspaceOpen', actions: 'passReload' }, { target: '.reloading' }],
    'reload.confirmed': '.reloading',
    // An error that no chart below handles leads to the error screen, not to a dead page.
    'xstate.error.*': { target: '.crashed', actions: ['setUnexpectedFailure', 'stopDevicesAndConnections'] },
    // The error screen has replaced all views, so everything below has to end.
    'view.failed': { target: '.crashed', actions: ['setUnexpectedFailure', 'stopDevicesAndConnections'] },
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
                // The stored session turned out to have ended when the page loaded.
                'session.ended': { actions: withEvent('setSignOutReason') },
              },
            },
            signedIn: {
              tags: 'signedIn',
              entry: ['noteSignedIn', 'clearSignOutReason'],
              exit: 'noteSignedOut',
              initial: 'fetching',
              on: {
                // Another person signed in, or the same one again: start with a new workspace.
                'session.started': { target: 'signedIn', reenter: true },
                'session.ending': '.ending',
                'session.ended': [
                  // Somebody who signed out on a visitor's screen stays there.
                  {
                    guard: and(['isVisitorOpen', 'isSignOut']),
                    target: 'signedOut',
                    actions: ['clearKeptDrafts', withEvent('emitEnd')],
                  },
                  {
                    guard: 'isSignOut',
                    target: 'signedOut',
                    actions: [
                      'clearKeptDrafts',
                      { type: 'navigate', params: { to: { screen: 'signIn' } } },
                      withEvent('emitEnd'),
                    ],
                  },
                  // A deleted account cannot return to its screen.
                  {
                    guard: 'isDeletion',
                    target: 'signedOut',
                    actions: [
                      'clearKeptDrafts',
                      withEvent('setSignOutReason'),
                      { type: 'navigate', params: { to: { screen: 'signIn' } } },
                      withEvent('emitEnd'),
                    ],
                  },
                  { target: 'signedOut', actions: [withEvent('setSignOutReason'), withEvent('emitEnd')] },
                ],
              },
              states: {
                fetching: {
                  invoke: {
                    id: 'fetchConsole',
                    src: 'fetchConsole',
                    onDone: 'open',
                  },
                  // The workspace reads the memberships when it starts.
                  on: {
                    'memberships.stale': {
                      guard: withEvent('leadsSomewhere'),
                      actions: { type: 'navigate', params: ({ event }) => ({ to: event.route ?? { screen: 'home' } }) },
                    },
                  },
                },
                open: {
                  exit: 'keepDrafts',
                  invoke: {
                    id: 'workspace',
                    src: 'workspace',
                    input: ({ context: { route, browserLanguages, keptDrafts } }) => ({
                      route,
                      browserLanguages,
                      keptDrafts,
                    }),
                  },
                  on: {
                    'route.changed': { actions: withEvent('passRoute') },
                    'memberships.stale': { actions: withEvent('passStale') },
                    'workspace.recovered': { actions: 'emitRecovery' },
                  },
                },
                ending: {},
              },
            },
          },
        },
        screen: {
          initial: 'other',
          on: {
            'route.changed': [
              {
                guard: and(['isVisitorOpen', 'isForVisitor']),
                actions: [withEvent('adoptRoute'), 'closeDrawer', 'closeSwitcher', withEvent('passToVisitor')],
              },
              {
                guard: withEvent('isSameSection'),
                actions: [withEvent('adoptRoute'), 'closeDrawer', 'closeSwitcher'],
              },
              { target: '.deciding', actions: [withEvent('adoptRoute'), 'closeDrawer', 'closeSwitcher'] },
            ],
          },
          states: {
            deciding: {
              always: [
                {
                  guard: {
                    type: 'isAtSection',
                    params: ({ context }) => ({ route: context.route, section: 'signIn' }),
                  },
                  target: 'signIn',
                },
                {
                  guard: {
                    type: 'isAtSection',
                    params: ({ context }) => ({ route: context.route, section: 'visitor' }),
                  },
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
                        { type: 'setRedirect', params: ({ context }) => ({ to: afterSignIn(fromOf(context.route)) }) },
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
                    params: ({ context }) => ({ to: afterSignIn(fromOf(context.route)), replace: true }),
                  },
                },
              },
            },
            visitor: {
              initial: 'fetching',
              states: {
                fetching: { invoke: { id: 'fetchVisitor', src: 'fetchVisitor', onDone: 'open' } },
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
                        guard: withOutput('hasTokens'),
                        target: '#root.running.screen.entering',
                        actions: [withOutput('setRedirect'), withOutput('startSession')],
                      },
                      { target: 'open', reenter: true },
                    ],
                  },
                  on: {
                    'session.started': { actions: withEvent('passSession') },
                    'session.ended': { actions: withEvent('passSession') },
                    'invitation.read': { actions: withEvent('setInvited') },
                  },
                },
              },
            },
            entering: {
              exit: 'clearRedirect',
              on: {
                'session.started': {
                  actions: {
                    type: 'navigate',
                    params: ({ context }) => ({ to: context.redirectTo ?? { screen: 'home' }, replace: true }),
                  },
                },
              },
            },
          },
        },
      },
    },
    // The workspace and its leave guard have ended, so nothing blocks the reload; the drafts go along.
    reloading: {
      invoke: {
        id: 'reloadPage',
        src: 'reloadPage',
        input: ({ context: { keptDrafts, route } }) => ({ keptDrafts, route }),
      },
    },
    crashed: {},
  },
});

export type RootActor = ActorRefFrom<typeof rootMachine>;
export type RootSnapshot = SnapshotFrom<typeof rootMachine>;
