// Which unsaved work a way within the console would discard.
import { staysOn, type Route } from '../../shared/route.ts';
import { homeOf, landingOf, namedBy, projectOf, selectFrom, type Known, type Selection } from '../select.ts';
import type { UnsavedWork } from '../../shared/unsavedWork.ts';

/** Whether a way takes the screen off the tab of the playground on which alone a live session runs. */
export const leavesLiveTab = (from: Route, to: Route): boolean =>
  staysOn(from, to) &&
  from.screen === 'playground' &&
  from.mode === 'real-time' &&
  to.screen === 'playground' &&
  to.mode !== 'real-time';

/** Whether a way from one route to another discards unsaved work: with its screen, a live session also with its tab. */
export function isDiscarded({ kind, scope }: UnsavedWork, from: Route, to: Route): boolean {
  if (scope !== 'screen') return false;
  return !staysOn(from, to) || (kind === 'live' && leavesLiveTab(from, to));
}

/** What the workspace knows when the person is asked. */
export type Place = Known & { selection: Selection };

/** Whether the project of a route has gone while its screen was open. */
export const isProjectGone = ({ memberships }: Place, route: Route): boolean =>
  namedBy(route).projectUuid !== null && projectOf(memberships, namedBy(route)) === undefined;

/** Whether a live transcript is still there after a way: as long as the console is about its project (CON-02). */
export function isLiveKept(place: Place, from: Route, to: Route): boolean {
  const { projectUuid } = namedBy(from);
  return projectUuid !== null && selectFrom(place, landing(place, to), place.selection).projectUuid === projectUuid;
}

/** Where a route that only leads on ends. */
function landing({ memberships }: Place, route: Route): Route {
  if (route.screen === 'home') return homeOf(memberships) ?? route;
  return route.screen === 'redirect' ? (landingOf(memberships, route.into) ?? route) : route;
}
