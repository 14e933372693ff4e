// The screens that a visitor sees without signing in, sign-in itself apart.
import type { Route } from '../shared/route.ts';

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

/** The token of the invitation that somebody comes from; null for others. */
export const invitationIn = (route: Route): string | null => /^\/invite\/([^/?#]+)/.exec(fromOf(route))?.[1] ?? null;

/** The address that somebody signs in or up with who comes from an invitation; empty for others, and where it was not read (CON-10). */
export const invitedEmail = (route: Route, invited: Invited | null): string =>
  invited !== null && invitationIn(route) === invited.token ? invited.email : '';

/** Whether two routes are one screen, with what its actor began with. A callback without a query is the one before, its answer taken out of the address. */
export const isSameVisit = (one: Route, other: Route): boolean =>
  one.screen === other.screen &&
  tokenOf(one) === tokenOf(other) &&
  (queryOf(other) === '' || queryOf(one) === queryOf(other));
