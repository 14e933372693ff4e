// Which organization and project the console is about, from where the user is and what is remembered (SEL-01..03).
import type { Membership, Project } from '#contract/organizations.ts';
import type { Destination, PlacedRoute, Route } from '../shared/route.ts';
import { SCREENS } from '../shared/screens.ts';

export type Selection = { orgUuid: string | null; projectUuid: string | null };

export type Known = { memberships: readonly Membership[]; remembered: Readonly<Record<string, string>> };

export const membershipOf = (memberships: readonly Membership[], orgUuid: string | null): Membership | undefined =>
  memberships.find(({ organization }) => organization.uuid === orgUuid);

export const projectOf = (
  memberships: readonly Membership[],
  { orgUuid, projectUuid }: Selection,
): Project | undefined => membershipOf(memberships, orgUuid)?.projects.find(({ uuid }) => uuid === projectUuid);

/** What the route names; null where it names nothing. */
export function namedBy(route: Route): Selection {
  return {
    orgUuid: 'orgUuid' in route ? route.orgUuid : null,
    projectUuid: 'projectUuid' in route ? route.projectUuid : null,
  };
}

/** The route's project if valid, else the remembered one of the organization, else its first. */
export function selectFrom(known: Known, route: Route, previous: Selection): Selection {
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

/** A screen in a place; null for a screen of a project without one. */
export function placed(into: Destination, orgUuid: string, projectUuid: string | null): PlacedRoute | null {
  if (SCREENS[into.screen].of === 'project')
    return projectUuid === null ? null : ({ ...into, orgUuid, projectUuid } as PlacedRoute);
  return { ...into, orgUuid } as PlacedRoute;
}

/** Where `/` leads (NAV-01): the first organization's home; null where there is none. */
export function homeOf(memberships: readonly Membership[]): Route | null {
  const first = memberships[0];
  return first ? { screen: 'organization', orgUuid: first.organization.uuid } : null;
}

/**
 * Where a short address leads (NAV-03): into the first organization, and the first of its projects for a screen of a
 * project. Null where there is none.
 */
export function landingOf(memberships: readonly Membership[], into: Destination): Route | null {
  const { orgUuid, projectUuid } = selectFrom(
    { memberships, remembered: {} },
    { screen: 'home' },
    { orgUuid: null, projectUuid: null },
  );
  return orgUuid === null ? null : placed(into, orgUuid, projectUuid);
}

/** The same kind of screen in another project; what is opened in this one stays behind (SEL-03). */
export function inProject(route: Route, orgUuid: string, projectUuid: string): Route {
  if (!('projectUuid' in route)) return { screen: 'project', orgUuid, projectUuid };
  if (route.screen === 'playground') return { screen: 'playground', orgUuid, projectUuid, mode: route.mode };
  // The period is the same for all of them.
  if (route.screen === 'usageCost' || route.screen === 'usageActivity' || route.screen === 'metrics')
    return { ...route, orgUuid, projectUuid };
  return { screen: route.screen, orgUuid, projectUuid };
}
