// Where signing in leads, and what of a route the root looks at.
import * as v from 'valibot';
import { OwnPath } from '#contract/fields.ts';
import type { Navigate, Route } from '../route.ts';

export const tokenOf = (route: Route): string | null => (route.screen === 'activation' ? route.token : null);

/** Whether it leads to this site and no other. */
export const isOwnPath = (path: string): boolean => v.is(OwnPath, path);

/** Back to where the person was sent to sign in from, else home (SES-07). */
export function afterSignIn(route: Route): Navigate['to'] {
  if (route.screen === 'signIn' && route.from !== undefined && isOwnPath(route.from)) return { href: route.from };
  return { screen: 'home' };
}
