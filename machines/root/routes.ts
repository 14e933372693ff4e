// Where signing in leads, and what of a route the root looks at.
import type { Navigate, Route } from '../route.ts';

export const tokenOf = (route: Route): string | null => (route.screen === 'activation' ? route.token : null);

/** Only a path of this site: one slash at its start, no second one and no backslash, which browsers read as one. */
export const isOwnPath = (path: string): boolean => /^\/(?![/\\])/.test(path) && !/[\t\n\r\\]/.test(path);

/** Back to where the person was sent to sign in from, else home (SES-07). */
export function afterSignIn(route: Route): Navigate['to'] {
  if (route.screen === 'signIn' && route.from !== undefined && isOwnPath(route.from)) return { href: route.from };
  return { screen: 'home' };
}
