// The screens that a visitor sees without signing in, sign-in itself apart.
import type { Navigate, Route } from '../shared/route.ts';
import { afterSignIn } from '../shared/wayBack.ts';

const SCREENS = [
  'signUp',
  'resendActivation',
  'activation',
  'passwordRecovery',
  'passwordReset',
  'ssoCallback',
  'invite',
] as const satisfies readonly Route['screen'][];

export type VisitorScreen = (typeof SCREENS)[number];
export type VisitorRoute = Extract<Route, { screen: VisitorScreen }>;

export const isVisitorRoute = (route: Route): route is VisitorRoute =>
  SCREENS.some((screen) => screen === route.screen);

/** The token of a screen that a link of an e-mail opens; empty for others. */
export const tokenOf = (route: Route): string =>
  route.screen === 'activation' || route.screen === 'passwordReset' || route.screen === 'invite' ? route.token : '';

/** The query that the identity provider sent back; empty on other screens. */
export const queryOf = (route: Route): string => (route.screen === 'ssoCallback' ? route.query : '');

/** Where the person was going; empty where nobody said. */
export const fromOf = (route: Route): string =>
  route.screen === 'signIn' || route.screen === 'signUp' ? (route.from ?? '') : '';

/** Whom the invitation was for that somebody has read. */
export type Invited = { token: string; email: string };

const invitationOf = (from: string): string | null => /^\/invite\/([^/?#]+)/.exec(from)?.[1] ?? null;

/** The token of the invitation that somebody comes from; null for others. */
export const invitationIn = (route: Route): string | null => invitationOf(fromOf(route));

/** Where a new account leads: to the invitation that it was made for; else to what all begin with (ONB-02). */
export const afterSignUp = (from: string | null): Navigate['to'] =>
  from !== null && invitationOf(from) !== null ? afterSignIn(from) : { screen: 'welcome' };

/** The address that somebody signs in or up with who comes from an invitation; empty for others, and where it was not read (CON-10). */
export const invitedEmail = (route: Route, invited: Invited | null): string =>
  invited !== null && invitationIn(route) === invited.token ? invited.email : '';

/** Whether two routes are one screen, with what its actor began with. A callback without a query is the one before, its answer taken out of the address. */
export const isSameVisit = (one: Route, other: Route): boolean =>
  one.screen === other.screen &&
  tokenOf(one) === tokenOf(other) &&
  (queryOf(other) === '' || queryOf(one) === queryOf(other));
