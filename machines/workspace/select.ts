// Selects the organization and project, from the route and the remembered projects (SEL-01..03).
import type { Membership, Project } from '#contract/organizations.ts';
import type { Destination, PlacedRoute, Route } from '../shared/route.ts';
import { SCREENS } from '../shared/screens.ts';

export type Selection = { orgUuid: string | null; projectUuid: string | null };

export type KnownPlaces = { memberships: readonly Membership[]; remembered: Readonly<Record<string, string>> };

export const membershipOf = (memberships: readonly Membership[], orgUuid: string | null): Membership | undefined =>
  memberships.find(({ organization }) => organization.uuid === orgUuid);

export const projectOf = (
  memberships: readonly Membership[],
  { orgUuid, projectUuid }: Selection,
): Project | undefined => membershipOf(memberships, orgUuid)?.projects.find(({ uuid }) => uuid === projectUuid);

/** Whether the selected organization has a project of this name that the person sees, whatever the case of its letters. */
export function hasProjectNamed(
  { memberships, selection }: { memberships: readonly Membership[]; selection: Selection },
  name: string,
): boolean {
  const plain = (text: string): string => text.trim().toLowerCase();
  const projects = membershipOf(memberships, selection.orgUuid)?.projects ?? [];
  return projects.some((project) => plain(project.name) === plain(name));
}

/** The organization and project in the route, or null. */
export function namedBy(route: Route): Selection {
  return {
    orgUuid: 'orgUuid' in route ? route.orgUuid : null,
    projectUuid: 'projectUuid' in route ? route.projectUuid : null,
  };
}

/** Selects the route's project if it exists, else the organization's remembered one, else its first. */
export function selectFrom(known: KnownPlaces, route: Route, previous: Selection): Selection {
  const poi = route.screen === 'user' ? (route.poi ?? null) : null;
  const candidates = [namedBy(route).orgUuid, poi, previous.orgUuid];
  const membership =
    candidates.map((uuid) => membershipOf(known.memberships, uuid)).find(Boolean) ?? known.memberships[0];
  if (!membership) return { orgUuid: null, projectUuid: null };
  const orgUuid = membership.organization.uuid;
  const wanted = [namedBy(route).projectUuid, known.remembered[orgUuid]];
  const project =
    wanted.map((uuid) => membership.projects.find((candidate) => candidate.uuid === uuid)).find(Boolean) ??
    membership.projects[0];
  return { orgUuid, projectUuid: project?.uuid ?? null };
}

/** A screen in a place; null if the screen needs a project and there is none. */
export function placed(into: Destination, orgUuid: string, projectUuid: string | null): PlacedRoute | null {
  if (SCREENS[into.screen].of === 'project')
    return projectUuid === null ? null : ({ ...into, orgUuid, projectUuid } as PlacedRoute);
  return { ...into, orgUuid } as PlacedRoute;
}

/** Where `/` leads (NAV-01): to the first organization; null without one. */
export function homeOf(memberships: readonly Membership[]): Route | null {
  const first = memberships[0];
  return first ? { screen: 'organization', orgUuid: first.organization.uuid } : null;
}

/**
 * Where a short address leads (NAV-03): into the first organization, and for a screen of a project into its first
 * project. Null if there is none.
 */
export function landingOf(memberships: readonly Membership[], into: Destination): Route | null {
  const { orgUuid, projectUuid } = selectFrom(
    { memberships, remembered: {} },
    { screen: 'home' },
    { orgUuid: null, projectUuid: null },
  );
  return orgUuid === null ? null : placed(into, orgUuid, projectUuid);
}

/** The same screen in another project, without what is opened in this one (SEL-03). */
export function inProject(route: Route, orgUuid: string, projectUuid: string): Route {
  if (!('projectUuid' in route)) return { screen: 'project', orgUuid, projectUuid };
  if (route.screen === 'playground') return { screen: 'playground', orgUuid, projectUuid, mode: route.mode };
  // Keeps the period.
  if (route.screen === 'usageCost' || route.screen === 'usageActivity' || route.screen === 'metrics')
    return { ...route, orgUuid, projectUuid };
  return { screen: route.screen, orgUuid, projectUuid };
}
