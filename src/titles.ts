/** The document title of every screen (NAV-08). */
import type { Route } from '#machines/route.ts';

const TITLES: Record<Route['screen'], string> = {
  signIn: 'Sign in',
  signUp: 'Sign up',
  activation: 'Activate your account',
  resendActivation: 'Resend activation e-mail',
  home: 'Home',
  user: 'Your account',
  organization: 'Dashboard',
  project: 'Project',
  apiKeys: 'API keys',
  playground: 'Speech-to-Text playground',
  notFound: 'Error 404',
};

/** `name` is the organization's or project's, where the screen belongs to one. */
export function titleOf(route: Route, productName: string, name?: string): string {
  return [TITLES[route.screen], name, productName].filter(Boolean).join(' · ');
}
