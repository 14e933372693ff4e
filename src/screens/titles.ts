/** The document title of every screen (NAV-08). */
import type { Destination, Route } from '#machines/shared/route.ts';
import type { ScreenName } from '#machines/shared/screens.ts';
import { rowOf } from './rows.ts';

const TITLES: Record<Exclude<Route['screen'], ScreenName | 'redirect'>, string> = {
  signIn: 'Sign in',
  signUp: 'Sign up',
  activation: 'Activate your account',
  resendActivation: 'Resend activation e-mail',
  passwordRecovery: 'Recover your password',
  passwordReset: 'Choose a new password',
  ssoCallback: 'Single sign-on',
  invite: 'Invitation',
  home: 'Home',
  welcome: 'Welcome',
  user: 'Your account',
  notFound: 'Error 404',
};

const isDestination = (route: Route | Destination): route is Destination =>
  !(route.screen in TITLES) && route.screen !== 'redirect';

/** The screen's title, without organization or project. */
export function headingOf(route: Route | Destination): string {
  if (isDestination(route)) {
    const row = rowOf(route.screen);
    return row.titleOf?.(route) ?? row.title;
  }
  return route.screen === 'redirect' ? `Failed to redirect into ${nameOf(route.into)}...` : TITLES[route.screen];
}

/** The end of the breadcrumb: the screen's title, or a shorter one. */
export const crumbOf = (route: Route): string =>
  (isDestination(route) ? rowOf(route.screen).crumb : undefined) ?? headingOf(route);

/** The screen's title inside a sentence. */
const nameOf = (into: Destination): string => rowOf(into.screen).inSentence ?? headingOf(into).toLowerCase();

/** The document's title. @param name of the screen's organization or project, if any */
export function titleOf(route: Route, productName: string, name?: string): string {
  return [headingOf(route), name, productName].filter(Boolean).join(' · ');
}
