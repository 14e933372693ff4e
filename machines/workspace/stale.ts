// Which changes elsewhere a screen is told of.
import type { ConsoleEvent } from '#contract/events.ts';

/** Somebody else may have changed what the screen shows: it reads that again when nothing of its own is under way. */
export type ScreenStale = { type: 'screen.stale' };

type Place = { orgUuid: string | null; projectUuid: string | null };

/** What a screen may show that others can change. */
const SUBJECTS = {
  members: (event: ConsoleEvent, { orgUuid }: Place) =>
    event.type === 'members.changed' && event.organization_uuid === orgUuid,
  organization: (event: ConsoleEvent, { orgUuid }: Place) =>
    event.type === 'organization.changed' && event.organization_uuid === orgUuid,
  project: (event: ConsoleEvent, { projectUuid }: Place) =>
    event.type === 'project.changed' && event.project_uuid === projectUuid,
  billing: (event: ConsoleEvent, { orgUuid }: Place) =>
    event.type === 'billing.changed' && event.organization_uuid === orgUuid,
  logs: (event: ConsoleEvent, { projectUuid }: Place) =>
    event.type === 'log.added' && event.project_uuid === projectUuid,
  webhooks: (event: ConsoleEvent, { projectUuid }: Place) =>
    event.type === 'webhook.changed' && event.project_uuid === projectUuid,
  // Of all projects of an organization a request of one may have been: which are its own is not told with the event.
  limits: (event: ConsoleEvent, { orgUuid, projectUuid }: Place) =>
    (event.type === 'log.added' && (projectUuid === null || event.project_uuid === projectUuid)) ||
    ((event.type === 'limits.changed' || event.type === 'organization.changed') &&
      event.organization_uuid === orgUuid) ||
    (event.type === 'project.changed' && event.project_uuid === projectUuid),
};

export type Subject = keyof typeof SUBJECTS;

/** Whether an event makes a screen stale that shows `subject` of `place`; after missed events all are. */
export const makesStale = (event: ConsoleEvent, subject: Subject, place: Place): boolean =>
  event.type === 'resync' || SUBJECTS[subject](event, place);
