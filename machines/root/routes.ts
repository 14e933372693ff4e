import type { Route } from '../shared/route.ts';
import { isVisitorRoute } from '../visitor/routes.ts';

export type Section = 'signIn' | 'visitor' | 'other';

/** The section of the page that shows a route: sign-in, the other public screens, or the console (`other`). */
export function sectionOf(route: Route): Section {
  if (route.screen === 'signIn') return 'signIn';
  return isVisitorRoute(route) ? 'visitor' : 'other';
}
