// Where signing in leads, and which part of the page shows a route.
import type { Navigate, Route } from '../shared/route.ts';
import { isVisitorRoute } from '../visitor/routes.ts';
import { wayBack } from '../shared/wayBack.ts';

/** Back to where the person was sent to sign in from, else home (SES-07). */
export const afterSignIn = (route: Route): Navigate['to'] =>
  wayBack(route.screen === 'signIn' ? route.from : null, { screen: 'home' });

export type Part = 'signIn' | 'visitor' | 'other';

/** What of the page shows a route: sign-in, which is always there; the other public screens; or the console. */
export function partOf(route: Route): Part {
  if (route.screen === 'signIn') return 'signIn';
  return isVisitorRoute(route) ? 'visitor' : 'other';
}
