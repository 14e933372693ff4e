// Texts about memberships that somebody else has changed, and where to go from a lost place.
import type { ConsoleEvent } from '#contract/events.ts';
import type { Membership } from '#contract/organizations.ts';
import { ROLE_NAMES } from '../shared/roleNames.ts';
import type { Route } from '../shared/route.ts';
import type { OwnChange } from './actors.ts';
import { membershipOf, namedBy, projectOf } from './select.ts';

/** Why organizations and projects are gone, by UUID; only causes that an event told. */
export type RemovalCauses = Readonly<Record<string, 'deleted' | 'removed'>>;

/** The cause of a removal in an event; empty for other events. */
export function removalCauseIn(event: ConsoleEvent): RemovalCauses {
  if (event.type === 'organization.deleted') return { [event.organization_uuid]: 'deleted' };
  if (event.type === 'membership.removed') return { [event.organization_uuid]: 'removed' };
  if (event.type === 'project.deleted') return { [event.project_uuid]: 'deleted' };
  if (event.type === 'project_member.removed') return { [event.project_uuid]: 'removed' };
  return {};
}

type Before = { memberships: readonly Membership[]; removalCauses: RemovalCauses };
/** `userUuid` is the person's own. */
type After = { memberships: readonly Membership[]; own: readonly OwnChange[]; userUuid: string };
type OwnChanges = Pick<After, 'own' | 'userUuid'>;

const isRenamedHere = ({ own }: OwnChanges, of: string): boolean =>
  own.some(({ uuid, how, userUuid }) => uuid === of && how === 'changed' && userUuid === null);
const hasOwnRole = ({ own, userUuid }: OwnChanges, of: string): boolean =>
  own.some((change) => change.uuid === of && change.how === 'changed' && change.userUuid === userUuid);
/** Whether this page has deleted the organization or project `of`, or removed the person from it. */
export const isRemovedByThisPage = ({ own, userUuid }: OwnChanges, of: string): boolean =>
  own.some(
    (change) =>
      change.uuid === of && change.how === 'removed' && (change.userUuid === null || change.userUuid === userUuid),
  );

/**
 * Sentences about changes and losses; new places show by themselves. No sentence begins with a name, because a name in
 * a right-to-left script would reverse the whole sentence.
 */
export function newsOf(before: Before, after: After): string[] {
  return before.memberships.flatMap((membership) => newsOfOne(membership, before.removalCauses, after));
}

/** Why the route's place is gone, a sentence; null if it is there, or was not there before. */
export function removalReasonOf(route: Route, before: Before, after: Pick<After, 'memberships'>): string | null {
  const named = namedBy(route);
  const organization = membershipOf(before.memberships, named.orgUuid)?.organization;
  const project = projectOf(before.memberships, named);
  if (organization && !membershipOf(after.memberships, organization.uuid))
    return organizationGone(organization.name, before.removalCauses[organization.uuid]);
  return project && !projectOf(after.memberships, named)
    ? projectGone(project.name, before.removalCauses[project.uuid])
    : null;
}

function newsOfOne(
  { organization: { uuid, name }, role, projects }: Membership,
  removalCauses: RemovalCauses,
  after: After,
): string[] {
  const now = membershipOf(after.memberships, uuid);
  if (!now) return isRemovedByThisPage(after, uuid) ? [] : [organizationGone(name, removalCauses[uuid])];
  const renamed =
    isRenamedHere(after, uuid) || now.organization.name === name
      ? []
      : [`Organization ${name} is now called ${now.organization.name}.`];
  const changed =
    hasOwnRole(after, uuid) || now.role === role
      ? []
      : [`Your role in ${now.organization.name} is now ${ROLE_NAMES[now.role]}.`];
  const ofProjects = projects.flatMap((project) => {
    const left = now.projects.find((other) => other.uuid === project.uuid);
    if (left)
      return isRenamedHere(after, project.uuid) || left.name === project.name
        ? []
        : [`Project ${project.name} is now called ${left.name}.`];
    if (isRemovedByThisPage(after, project.uuid)) return [];
    // Another role has other projects, which is no news.
    return now.role !== role && removalCauses[project.uuid] === undefined
      ? []
      : [projectGone(project.name, removalCauses[project.uuid])];
  });
  return [...renamed, ...changed, ...ofProjects];
}

function organizationGone(name: string, cause: RemovalCauses[string] | undefined): string {
  if (cause === undefined) return `Organization ${name} was deleted, or you were removed from it.`;
  return cause === 'deleted' ? `Organization ${name} was deleted.` : `You were removed from ${name}.`;
}

function projectGone(name: string, cause: RemovalCauses[string] | undefined): string {
  if (cause === undefined) return `Project ${name} was deleted, or you were removed from it.`;
  return cause === 'deleted' ? `Project ${name} was deleted.` : `You were removed from project ${name}.`;
}

/** Whether the route's organization or project was there before and is gone. */
export function isPlaceRemoved(route: Route, before: readonly Membership[], after: readonly Membership[]): boolean {
  const named = namedBy(route);
  if (named.projectUuid !== null)
    return projectOf(before, named) !== undefined && projectOf(after, named) === undefined;
  return membershipOf(before, named.orgUuid) !== undefined && membershipOf(after, named.orgUuid) === undefined;
}

/** Where to go from a lost place: to its organization, else to the first one. */
export function fallbackOf(route: Route, memberships: readonly Membership[]): Route {
  const organization = (membershipOf(memberships, namedBy(route).orgUuid) ?? memberships[0])?.organization;
  return organization ? { screen: 'organization', orgUuid: organization.uuid } : { screen: 'home' };
}
