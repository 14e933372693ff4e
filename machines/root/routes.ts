// Where signing in leads, and which part of the page shows a route.
import type { Route } from '../shared/route.ts';
import { isVisitorRoute } from '../visitor/routes.ts';

export type Part = 'signIn' | 'visitor' | 'other';

/** What of the page shows a route: sign-in, which is always there; the other public screens; or the console. */
export function partOf(route: Route): Part {
  if (route.screen === 'signIn') return 'signIn';
  return isVisitorRoute(route) ? 'visitor' : 'other';
}
