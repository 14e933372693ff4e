// The public screens besides sign-in.
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

/** The token of a screen opened by a link from an e-mail; empty for others. */
export const tokenOf = (route: Route): string =>
  route.screen === 'activation' || route.screen === 'passwordReset' || route.screen === 'invite' ? route.token : '';

/** The query that the identity provider sent back; empty on other screens. */
export const queryOf = (route: Route): string => (route.screen === 'ssoCallback' ? route.query : '');

/** The path that the person was going to; empty if unknown. */
export const fromOf = (route: Route): string =>
  route.screen === 'signIn' || route.screen === 'signUp' ? (route.from ?? '') : '';

/** A read invitation, and whom it is for. */
export type Invited = { token: string; email: string };

const invitationOf = (from: string): string | null => /^\/invite\/([^/?#]+)/.exec(from)?.[1] ?? null;

/** The token of the invitation that the person comes from; null for others. */
export const invitationIn = (route: Route): string | null => invitationOf(fromOf(route));

/** Where a new account leads: to the invitation that it was made for, else to the welcome screen (ONB-02). */
export const afterSignUp = (from: string | null): Navigate['to'] =>
  from !== null && invitationOf(from) !== null ? afterSignIn(from) : { screen: 'welcome' };

/** The invited address, to fill sign-in and sign-up; empty without a read invitation (CON-10). */
export const invitedEmail = (route: Route, invited: Invited | null): string =>
  invited !== null && invitationIn(route) === invited.token ? invited.email : '';

/**
 * Whether two routes show the same screen with the same input. A single sign-on callback without a query equals the
 * one before: its query has been removed from the address.
 */
export const isSameVisit = (one: Route, other: Route): boolean =>
  one.screen === other.screen &&
  tokenOf(one) === tokenOf(other) &&
  (queryOf(other) === '' || queryOf(one) === queryOf(other));
