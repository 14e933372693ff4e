// Which unsaved work a navigation within the console would discard.
import { staysOn, type Route } from '../../shared/route.ts';
import { homeOf, landingOf, namedBy, projectOf, selectFrom, type KnownPlaces, type Selection } from '../select.ts';
import type { UnsavedWork } from '../../shared/unsavedWork.ts';

/** Whether a navigation leaves the playground's live tab, which ends a live session. */
export const leavesLiveTab = (from: Route, to: Route): boolean =>
  staysOn(from, to) &&
  from.screen === 'playground' &&
  from.mode === 'real-time' &&
  to.screen === 'playground' &&
  to.mode !== 'real-time';

/** Whether a navigation discards unsaved work: it changes the screen, or leaves the tab of a live session. */
export function isDiscarded({ kind, scope }: UnsavedWork, from: Route, to: Route): boolean {
  if (scope !== 'screen') return false;
  return !staysOn(from, to) || (kind === 'live' && leavesLiveTab(from, to));
}

/** What the workspace knows when the guard asks. */
export type Place = KnownPlaces & { selection: Selection };

/** Whether the person no longer has the route's project. */
export const isProjectGone = ({ memberships }: Place, route: Route): boolean =>
  namedBy(route).projectUuid !== null && projectOf(memberships, namedBy(route)) === undefined;

/** Whether a live transcript survives a navigation: if its project stays selected (CON-02). */
export function isLiveKept(place: Place, from: Route, to: Route): boolean {
  const { projectUuid } = namedBy(from);
  return projectUuid !== null && selectFrom(place, landing(place, to), place.selection).projectUuid === projectUuid;
}

/** The final route, after redirects. */
function landing({ memberships }: Place, route: Route): Route {
  if (route.screen === 'home') return homeOf(memberships) ?? route;
  return route.screen === 'redirect' ? (landingOf(memberships, route.into) ?? route) : route;
}
