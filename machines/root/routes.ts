import type { Route } from '../shared/route.ts';
import { isVisitorRoute } from '../visitor/routes.ts';

export type Part = 'signIn' | 'visitor' | 'other';

/** The part of the page that shows a route: sign-in, the other public screens, or the console (`other`). */
export function partOf(route: Route): Part {
  if (route.screen === 'signIn') return 'signIn';
  return isVisitorRoute(route) ? 'visitor' : 'other';
}
