// Which screens a person may open, in which place: the one rule for sidebar, palette and addresses.
import { may, type Role } from '#contract/roles.ts';
import type { Route } from '../shared/route.ts';
import { isScreen, SCREENS, type ScreenName } from '../shared/screens.ts';
import { membershipOf, namedBy, projectOf } from './select.ts';
import type { WorkspaceContext } from './context.ts';

/** Whether a role opens a screen. */
export const opens = (role: Role, screen: ScreenName): boolean => may(role, SCREENS[screen].needs);

type Known = Pick<WorkspaceContext, 'memberships'>;

/** Whether organization and project of a route are there. */
function isThere({ memberships }: Known, route: Route): boolean {
  const named = namedBy(route);
  if (named.projectUuid !== null) return projectOf(memberships, named) !== undefined;
  return named.orgUuid === null || membershipOf(memberships, named.orgUuid) !== undefined;
}

const isAllowed = ({ memberships }: Known, route: Route, screen: ScreenName): boolean => {
  const role = membershipOf(memberships, namedBy(route).orgUuid)?.role;
  return role !== undefined && opens(role, screen);
};

/** The screen that a route opens; null for those of no organization, for what is not there, and for what the role may not. */
export const openedBy = (known: Known, route: Route): ScreenName | null =>
  isScreen(route.screen) && isThere(known, route) && isAllowed(known, route, route.screen) ? route.screen : null;

/** Whether a route leads to something that is there and that the person's role may not open (ORG-08). */
export const isForbidden = (known: Known, route: Route): boolean =>
  isScreen(route.screen) && isThere(known, route) && !isAllowed(known, route, route.screen);

/**
 * Whether the place of the open screen went while the screen was open, and the person has stayed: the console is about it
 * still. What is on such a screen is theirs until they leave it.
 */
export function isOnRemovedPlace({
  memberships,
  route,
  selection,
}: Pick<WorkspaceContext, 'memberships' | 'route' | 'selection'>): boolean {
  const { orgUuid, projectUuid } = namedBy(route);
  return (
    !isThere({ memberships }, route) &&
    selection.orgUuid === orgUuid &&
    (projectUuid === null || selection.projectUuid === projectUuid)
  );
}

/** Whether two routes open the same screen of the same organization and project: its actor stays. */
export function isSameScreen(known: Known, one: Route, other: Route): boolean {
  if (one.screen === 'user' || one.screen === 'welcome') return other.screen === one.screen;
  const [before, after] = [namedBy(one), namedBy(other)];
  return (
    openedBy(known, one) !== null &&
    openedBy(known, one) === openedBy(known, other) &&
    before.orgUuid === after.orgUuid &&
    before.projectUuid === after.projectUuid
  );
}

/** Who is at the open screen of an organization, in which role; only asked for where a route names it. */
export function personAt({ route, memberships, user }: Pick<WorkspaceContext, 'route' | 'memberships' | 'user'>): {
  orgUuid: string;
  userUuid: string;
  role: Role;
} {
  const { orgUuid } = namedBy(route);
  const membership = membershipOf(memberships, orgUuid);
  if (!membership) throw new Error('The screen belongs to no organization of the person.');
  return { orgUuid: membership.organization.uuid, userUuid: user.uuid, role: membership.role };
}

/** The organization and project that the open screen belongs to; only asked for where a route names them. */
export function placeOf({ route }: Pick<WorkspaceContext, 'route'>): { orgUuid: string; projectUuid: string } {
  const { orgUuid, projectUuid } = namedBy(route);
  return { orgUuid: orgUuid ?? '', projectUuid: projectUuid ?? '' };
}
