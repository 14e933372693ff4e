// Types, guards and actions of the root's chart.
import { assign, emit, sendTo, setup, stateIn } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import type { PageSettings } from '#contract/settings.ts';
import { clipboardMachine } from './clipboard/machine.ts';
import { type Failure, toFailure } from '../shared/failure.ts';
import type { KeptDrafts } from '../shared/form/drafts.ts';
import type { FormResult } from '../shared/form/types.ts';
import { preferencesMachine } from './preferences/machine.ts';
import type { Navigate, Route, RouteChanged } from '../shared/route.ts';
import {
  sessionMachine,
  type SessionEnded,
  type SessionEnding,
  type SessionEvent,
  type SessionNotice,
} from '../session/machine.ts';
import { signInMachine } from '../visitor/signIn/machine.ts';
import { singleSignOnMachine } from '../visitor/singleSignOn/machine.ts';
import { switcherMachine } from './switcher/machine.ts';
import { toastsMachine } from './toasts/machine.ts';
import type { VisitorNotice } from '../visitor/machine.ts';
import type { Invited } from '../visitor/routes.ts';
import type { WorkspaceNotice } from '../workspace/machine.ts';
import type { MembershipsStale } from '../shared/membershipsStale.ts';
import { fetchConsole, fetchVisitor, navigation, reloadPage, visitor, workspace } from './actors.ts';
import { stopDevicesAndConnections } from '../shared/holding.ts';
import type { NavigateRequested, ReloadConfirmed } from '../shared/appServices.ts';
import { draftsToKeep } from './keptDrafts.ts';
import { partsMachine } from './parts/machine.ts';
import { sectionOf, type Section } from './routes.ts';

export type RootInput = {
  settings: PageSettings;
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
  /** Drafts from before a reload. */
  keptDrafts?: KeptDrafts | null;
};

type WorkspaceRecovered = { type: 'workspace.recovered' };

export type RootEvent =
  | RouteChanged
  | SessionNotice
  | SessionEnding
  | WorkspaceNotice
  | VisitorNotice
  | NavigateRequested
  | ReloadConfirmed
  | { type: 'reload.requested' }
  /** A rendering error that no part of the page caught. */
  | { type: 'view.failed' };

/** Why a session ended, unless the person signed out here. */
export type SignOutReason = Exclude<SessionEnded['reason'], 'signedOut'>;

export const setupRoot = setup({
  types: {} as {
    /** `keptDrafts` outlives a session that ended by itself: the same person gets these drafts back. */
    context: RootInput & {
      route: Route;
      isSignedIn: boolean;
      /** Where to go once the session starts; null while none is about to start. */
      redirectTo: Navigate['to'] | null;
      failure: Failure | null;
      keptDrafts: KeptDrafts | null;
      /** The invitation read last; its address fills sign-in and sign-up. */
      invited: Invited | null;
      /** Why the person is signed out, unless they signed out here. */
      signOutReason: SignOutReason | null;
    };
    input: RootInput;
    events: RootEvent;
    /** The router asks its guards again at `session.ended` and `workspace.recovered`. */
    emitted: Navigate | SessionEnded | WorkspaceRecovered;
    tags: 'signedIn';
    children: {
      session: 'session';
      toasts: 'toasts';
      navigation: 'navigation';
      preferences: 'preferences';
      clipboard: 'clipboard';
      switcher: 'switcher';
      parts: 'parts';
      reloadPage: 'reloadPage';
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
    parts: partsMachine,
    reloadPage,
    fetchConsole,
    workspace,
    signIn: signInMachine,
    singleSignOn: singleSignOnMachine,
    fetchVisitor,
    visitor,
  },
  guards: {
    isAtSection: (_, { route, section }: { route: Route; section: Section }) => sectionOf(route) === section,
    // While a redirect after sign-in is pending, the route still names the old section.
    isSameSection: ({ context }, { route }: { route: Route }) =>
      context.redirectTo === null && sectionOf(context.route) === sectionOf(route),
    isForVisitor: ({ event }) => event.type === 'route.changed' && sectionOf(event.route) === 'visitor',
    isVisitorOpen: stateIn({ running: { screen: { visitor: 'open' } } }),
    leadsSomewhere: (_, { route }: { route: Route | null }) => route !== null,
    isSignOut: ({ event }) => event.type === 'session.ended' && event.reason === 'signedOut',
    isDeletion: ({ event }) => event.type === 'session.ended' && event.reason === 'deleted',
    isWorkspaceOpen: stateIn({ running: { account: { signedIn: 'open' } } }),
    hasTokens: (_, { tokens }: { tokens: TokenPair | null }) => tokens !== null,
  },
  actions: {
    setInvited: assign((_, { token, email }: Invited) => ({ invited: { token, email } })),
    adoptRoute: assign((_, { route }: { route: Route }) => ({ route })),
    setUnexpectedFailure: assign(({ event }) => ({ failure: toFailure('error' in event ? event.error : null) })),
    stopDevicesAndConnections,
    keepDrafts: assign(({ context, self }) => ({ keptDrafts: draftsToKeep(self) ?? context.keptDrafts })),
    clearKeptDrafts: assign({ keptDrafts: null }),
    setSignOutReason: assign((_, { reason }: { reason: SessionEnded['reason'] }) => ({
      signOutReason: reason === 'signedOut' ? null : reason,
    })),
    clearSignOutReason: assign({ signOutReason: null }),
    startSession: sendTo('session', (_, { tokens }: { tokens: TokenPair | null }): SessionEvent => {
      if (tokens === null) throw new Error('Nobody is signed in.');
      return { type: 'signIn.succeeded', tokens };
    }),
    setRedirect: assign((_, { to }: { to: Navigate['to'] }) => ({ redirectTo: to })),
    clearRedirect: assign({ redirectTo: null }),
    noteSignedIn: assign({ isSignedIn: true }),
    noteSignedOut: assign({ isSignedIn: false }),
    passToVisitor: sendTo('visitor', (_, { route }: { route: Route }): RouteChanged => ({
      type: 'route.changed',
      route,
    })),
    passSession: sendTo('visitor', (_, notice: SessionNotice): SessionNotice => notice),
    passStale: sendTo('workspace', (_, { route }: { route: Route | null }): MembershipsStale => ({
      type: 'memberships.stale',
      route,
    })),
    passReload: sendTo('workspace', { type: 'reload.requested' as const }),
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
    emitRecovery: emit((): WorkspaceRecovered => ({ type: 'workspace.recovered' })),
    emitEnd: emit((_, end: SessionEnded): SessionEnded => end),
  },
});

/** The tokens of an accepted sign-in. */
export const tokensOf = (result: FormResult<TokenPair, unknown>): TokenPair | null =>
  result.outcome === 'done' ? result.answer : null;
