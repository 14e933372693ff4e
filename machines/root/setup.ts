// Types, guards and actions of the root's chart.
import { assign, emit, sendTo, setup, stateIn } from 'xstate';
import type { TokenPair } from '#contract/session.ts';
import type { PageSettings } from '#contract/settings.ts';
import { clipboardMachine } from './clipboard/machine.ts';
import { type Failure, toFailure } from '../shared/failure.ts';
import type { LeftDrafts } from '../shared/form/drafts.ts';
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
import type { MembershipsStale } from '../workspace/context.ts';
import { fetchConsole, fetchVisitor, navigation, reloadPage, visitor, workspace } from './actors.ts';
import { letGo } from '../shared/holding.ts';
import type { NavigateRequested, ReloadConfirmed } from '../shared/appServices.ts';
import { leftBehind } from './left.ts';
import { partsMachine } from './parts/machine.ts';
import { partOf, type Part } from './routes.ts';

export type RootInput = {
  settings: PageSettings;
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
  /** What was typed before the page was loaded anew. */
  left?: LeftDrafts | null;
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
  /** What no part of the page could take is not drawn any more. */
  | { type: 'view.failed' };

/** How a session can end without its person. */
export type SignOutReason = Exclude<SessionEnded['reason'], 'signedOut'>;

export const setupRoot = setup({
  types: {} as {
    /** `left` outlives a session that ended by itself: what was typed then goes back to the same person. */
    context: RootInput & {
      route: Route;
      isSignedIn: boolean;
      /** Where the session that is about to start leads; null while none is. */
      redirectTo: Navigate['to'] | null;
      failure: Failure | null;
      left: LeftDrafts | null;
      /** Of the invitation that was read last: sign-in and sign-up begin with its address. */
      invited: Invited | null;
      /** Why the person is signed out, where they did not do so themselves here. */
      signOutReason: SignOutReason | null;
    };
    input: RootInput;
    events: RootEvent;
    /** `session.ended` and `workspace.recovered` let the router look again; on `signedOut` a `navigate` to sign-in comes with it. */
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
    isAtPart: (_, { route, part }: { route: Route; part: Part }) => partOf(route) === part,
    // Who enters is between two parts.
    isSamePart: ({ context }, { route }: { route: Route }) =>
      context.redirectTo === null && partOf(context.route) === partOf(route),
    isForVisitor: ({ event }) => event.type === 'route.changed' && partOf(event.route) === 'visitor',
    isVisiting: stateIn({ running: { screen: { visitor: 'open' } } }),
    leadsSomewhere: (_, { route }: { route: Route | null }) => route !== null,
    isSignOut: ({ event }) => event.type === 'session.ended' && event.reason === 'signedOut',
    isDeletion: ({ event }) => event.type === 'session.ended' && event.reason === 'deleted',
    isInside: stateIn({ running: { account: { signedIn: 'open' } } }),
    hasTokens: (_, { tokens }: { tokens: TokenPair | null }) => tokens !== null,
  },
  actions: {
    setInvited: assign((_, { token, email }: Invited) => ({ invited: { token, email } })),
    adoptRoute: assign((_, { route }: { route: Route }) => ({ route })),
    setUnforeseen: assign(({ event }) => ({ failure: toFailure('error' in event ? event.error : null) })),
    letGo,
    setLeft: assign(({ context, self }) => ({ left: leftBehind(self) ?? context.left })),
    clearLeft: assign({ left: null }),
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
