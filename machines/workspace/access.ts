// What a person may open and do in a place: one rule for screens, sidebar, palette and addresses.
import { may, type Action, type Role } from '#contract/roles.ts';
import type { Route } from '../shared/route.ts';
import { isScreen, SCREENS, type ScreenName } from '../shared/screens.ts';
import { membershipOf, namedBy, projectOf } from './select.ts';
import type { WorkspaceContext } from './context.ts';
import type { LookupPlace } from './palette/lookup.ts';

/** Whether a role may open a screen. */
export const canOpen = (role: Role, screen: ScreenName): boolean => may(role, SCREENS[screen].needs);

/** Whether the person's role in the selected organization allows an action. */
export function mayHere(
  { memberships, selection }: Pick<WorkspaceContext, 'memberships' | 'selection'>,
  action: Action,
) {
  const role = membershipOf(memberships, selection.orgUuid)?.role;
  return role !== undefined && may(role, action);
}

type Known = Pick<WorkspaceContext, 'memberships'>;

/** Whether the person has the route's organization and project. */
function isThere({ memberships }: Known, route: Route): boolean {
  const named = namedBy(route);
  if (named.projectUuid !== null) return projectOf(memberships, named) !== undefined;
  return named.orgUuid === null || membershipOf(memberships, named.orgUuid) !== undefined;
}

const isAllowed = ({ memberships }: Known, route: Route, screen: ScreenName): boolean => {
  const role = membershipOf(memberships, namedBy(route).orgUuid)?.role;
  return role !== undefined && canOpen(role, screen);
};

/** The screen that a route opens; null if it has no organization, or the place is missing, or the role may not. */
export const openedBy = (known: Known, route: Route): ScreenName | null =>
  isScreen(route.screen) && isThere(known, route) && isAllowed(known, route, route.screen) ? route.screen : null;

/** The project in the address, whose things the palette finds by their ids; null if there is none. */
export function lookupPlaceOf({
  memberships,
  route,
}: Pick<WorkspaceContext, 'memberships' | 'route'>): LookupPlace | null {
  const { orgUuid, projectUuid } = namedBy(route);
  const role = membershipOf(memberships, orgUuid)?.role;
  if (orgUuid === null || projectUuid === null || role === undefined || !isThere({ memberships }, route)) return null;
  return { orgUuid, projectUuid, mayOpen: canOpen(role, 'playground') };
}

/** Whether the route's place exists, but the person's role may not open its screen (ORG-08). */
export const isForbidden = (known: Known, route: Route): boolean =>
  isScreen(route.screen) && isThere(known, route) && !isAllowed(known, route, route.screen);

/**
 * Whether the place of the open screen is gone, and the person has stayed there: it is still selected. They keep what
 * is on the screen until they leave it.
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

/** Whether two routes open the same screen of the same place, so that its actor stays. */
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

/** The person and their role in the open screen's organization. @throws if they do not have that organization */
export function personAt({ route, memberships, user }: Pick<WorkspaceContext, 'route' | 'memberships' | 'user'>): {
  orgUuid: string;
  userUuid: string;
  role: Role;
} {
  const { orgUuid } = namedBy(route);
  const membership = membershipOf(memberships, orgUuid);
  if (!membership) throw new Error("The person does not have the screen's organization.");
  return { orgUuid: membership.organization.uuid, userUuid: user.uuid, role: membership.role };
}

/** The open screen's organization and project; empty strings for those that the route does not name. */
export function placeOf({ route }: Pick<WorkspaceContext, 'route'>): { orgUuid: string; projectUuid: string } {
  const { orgUuid, projectUuid } = namedBy(route);
  return { orgUuid: orgUuid ?? '', projectUuid: projectUuid ?? '' };
}
