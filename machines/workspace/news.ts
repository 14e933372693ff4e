// Texts about memberships that somebody else has changed, and where to go from a lost place.
import type { ConsoleEvent } from '#contract/events.ts';
import type { Membership } from '#contract/organizations.ts';
import { ROLE_NAMES } from '../shared/roleNames.ts';
import type { Route } from '../shared/route.ts';
import { membershipOf, namedBy, projectOf } from './select.ts';

/** What was heard of changes: events of the stream, and places that a screen of this page said it has changed. */
export type HeardChanges = {
  events: readonly ConsoleEvent[];
  changedHere: readonly { uuid: string; isRemoved: boolean }[];
};

export const NOTHING_HEARD: HeardChanges = { events: [], changedHere: [] };

const NAMING = ['organization.changed', 'project.changed'];
const ROLE = ['membership.changed'];
const REMOVAL = ['organization.deleted', 'membership.removed', 'project.deleted', 'project_member.removed'];

/** Adds an event that may explain a change of the memberships. Others are left out, so that the list stays short. */
export const hearEvent = (heard: HeardChanges, event: ConsoleEvent): HeardChanges =>
  [...NAMING, ...ROLE, ...REMOVAL].includes(event.type) ? { ...heard, events: [...heard.events, event] } : heard;

const eventsAbout = ({ events }: HeardChanges, of: string, types: readonly string[]) =>
  events.flatMap((event) => {
    if (!('organization_uuid' in event) || !types.includes(event.type)) return [];
    const uuid = 'project_uuid' in event ? event.project_uuid : event.organization_uuid;
    return uuid === of ? [event] : [];
  });

/** Whether only this page has made changes of such types. Its own event may come after the answer, or never. */
function isByPage(heard: HeardChanges, of: string, types: readonly string[]): boolean {
  const events = eventsAbout(heard, of, types);
  if (events.length > 0) return events.every(({ own }) => own);
  return heard.changedHere.some(({ uuid, isRemoved }) => uuid === of && isRemoved === (types === REMOVAL));
}

/** Whether this page has deleted the organization or project `of`, or removed the person from it. */
export const isRemovedByPage = (heard: HeardChanges, of: string): boolean => isByPage(heard, of, REMOVAL);

/** Why a place is gone; undefined if no event told. */
function removalCause(heard: HeardChanges, of: string): 'deleted' | 'removed' | undefined {
  const last = eventsAbout(heard, of, REMOVAL).findLast(({ own }) => !own);
  return last && (last.type.endsWith('.deleted') ? 'deleted' : 'removed');
}

type Memberships = readonly Membership[];

/**
 * Sentences about changes and losses; new places show by themselves. No sentence begins with a name, because a name in
 * a right-to-left script would reverse the whole sentence.
 */
export function newsOf(before: Memberships, after: Memberships, heard: HeardChanges): string[] {
  return before.flatMap((membership) => newsOfOne(membership, after, heard));
}

/** Why the route's place is gone, a sentence; null if it is there, or was not there before. */
export function removalReasonOf(
  route: Route,
  before: Memberships,
  after: Memberships,
  heard: HeardChanges,
): string | null {
  const named = namedBy(route);
  const organization = membershipOf(before, named.orgUuid)?.organization;
  const project = projectOf(before, named);
  if (organization && !membershipOf(after, organization.uuid))
    return organizationGone(organization.name, removalCause(heard, organization.uuid));
  return project && !projectOf(after, named) ? projectGone(project.name, removalCause(heard, project.uuid)) : null;
}

function newsOfOne(
  { organization: { uuid, name }, role, projects }: Membership,
  after: Memberships,
  heard: HeardChanges,
): string[] {
  const now = membershipOf(after, uuid);
  if (!now) return isRemovedByPage(heard, uuid) ? [] : [organizationGone(name, removalCause(heard, uuid))];
  const renamed =
    now.organization.name === name || isByPage(heard, uuid, NAMING)
      ? []
      : [`Organization ${name} is now called ${now.organization.name}.`];
  const changed =
    now.role === role || isByPage(heard, uuid, ROLE)
      ? []
      : [`Your role in ${now.organization.name} is now ${ROLE_NAMES[now.role]}.`];
  const ofProjects = projects.flatMap((project) => {
    const left = now.projects.find((other) => other.uuid === project.uuid);
    if (left)
      return left.name === project.name || isByPage(heard, project.uuid, NAMING)
        ? []
        : [`Project ${project.name} is now called ${left.name}.`];
    if (isRemovedByPage(heard, project.uuid)) return [];
    const cause = removalCause(heard, project.uuid);
    // Another role has other projects, which is no news.
    return now.role !== role && cause === undefined ? [] : [projectGone(project.name, cause)];
  });
  return [...renamed, ...changed, ...ofProjects];
}

type Cause = ReturnType<typeof removalCause>;

function organizationGone(name: string, cause: Cause): string {
  if (cause === undefined) return `Organization ${name} was deleted, or you were removed from it.`;
  return cause === 'deleted' ? `Organization ${name} was deleted.` : `You were removed from ${name}.`;
}

function projectGone(name: string, cause: Cause): string {
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
  return organization ? { screen: 'organization', orgUuid: organization.uuid } : { screen: 'welcome' };
}
