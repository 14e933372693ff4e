// Which events of the server make a screen stale.
import type { ConsoleEvent } from '#contract/events.ts';

/** Somebody else may have changed what the screen shows. It reads again when it has nothing else under way. */
export type ScreenStale = { type: 'screen.stale' };

type Place = { orgUuid: string | null; projectUuid: string | null };

/** Things that a screen shows and others can change, with the events that change them. */
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
  // `log.added` does not name the organization, so every project's request makes an organization's limits stale.
  limits: (event: ConsoleEvent, { orgUuid, projectUuid }: Place) =>
    (event.type === 'log.added' && (projectUuid === null || event.project_uuid === projectUuid)) ||
    ((event.type === 'limits.changed' || event.type === 'organization.changed') &&
      event.organization_uuid === orgUuid) ||
    (event.type === 'project.changed' && event.project_uuid === projectUuid),
};

export type Subject = keyof typeof SUBJECTS;

/** Whether an event makes a screen with `subject` of `place` stale; `resync` makes all stale. */
export const makesStale = (event: ConsoleEvent, subject: Subject, place: Place): boolean =>
  event.type === 'resync' || SUBJECTS[subject](event, place);
