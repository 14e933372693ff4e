import { describe, expect, it } from 'vitest';
import type { ConsoleEvent } from '#contract/events.ts';
import { makesStale, type Subject } from '#machines/workspace/stale.ts';

const place = { orgUuid: 'o1', projectUuid: 'p1' };
const EVENTS: Record<Exclude<Subject, 'limits'>, (of: typeof place) => ConsoleEvent> = {
  members: ({ orgUuid }) => ({ type: 'members.changed', organization_uuid: orgUuid }),
  organization: ({ orgUuid }) => ({ type: 'organization.changed', organization_uuid: orgUuid }),
  project: ({ orgUuid, projectUuid }) => ({
    type: 'project.changed',
    organization_uuid: orgUuid,
    project_uuid: projectUuid,
  }),
  billing: ({ orgUuid }) => ({ type: 'billing.changed', organization_uuid: orgUuid }),
  logs: ({ projectUuid }) => ({ type: 'log.added', project_uuid: projectUuid }),
  webhooks: ({ projectUuid }) => ({ type: 'webhook.changed', project_uuid: projectUuid }),
};
const subjects = Object.keys(EVENTS) as (keyof typeof EVENTS)[];

describe('CON-05 CON-30: what a screen is told of', () => {
  it.each(subjects)('%s: a change of it, in its own place', (subject) => {
    expect(subjects.filter((other) => makesStale(EVENTS[other](place), subject, place))).toEqual([subject]);
    const elsewhere = { orgUuid: 'o2', projectUuid: 'p2' };
    expect(subjects.filter((other) => makesStale(EVENTS[other](elsewhere), subject, place))).toEqual([]);
  });

  it.each(subjects)('%s: events that may have been missed', (subject) => {
    expect(makesStale({ type: 'resync' }, subject, place)).toBe(true);
  });

  it('ORG-07 PRJ-07 LIM-12: limits are about whatever is used, of an organization by any of its projects', () => {
    const heard = (at: typeof place | { orgUuid: string; projectUuid: null }, of = place) =>
      subjects.filter((other) => makesStale(EVENTS[other](of), 'limits', at));
    expect(heard(place)).toEqual(['organization', 'project', 'logs']);
    expect(heard({ orgUuid: 'o1', projectUuid: null })).toEqual(['organization', 'logs']);
    expect(heard(place, { orgUuid: 'o2', projectUuid: 'p2' })).toEqual([]);
    const set = { type: 'limits.changed', organization_uuid: 'o1' } as const;
    for (const projectUuid of ['p1', null]) {
      expect(makesStale(set, 'limits', { orgUuid: 'o1', projectUuid })).toBe(true);
      expect(makesStale(set, 'limits', { orgUuid: 'o2', projectUuid })).toBe(false);
    }
    expect(makesStale({ type: 'resync' }, 'limits', place)).toBe(true);
  });
});
