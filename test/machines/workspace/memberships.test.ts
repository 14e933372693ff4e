import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromCallback, waitFor } from 'xstate';
import type { ConsoleEvent } from '#contract/events.ts';
import type { Membership } from '#contract/organizations.ts';
import type { PageEvent, StreamEvent } from '#machines/workspace/events/actors.ts';
import { eventsMachine } from '#machines/workspace/events/machine.ts';
import type { Route } from '#machines/shared/route.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { ann, membership } from '../people.ts';
import { reading } from '../page.ts';
import { playgroundRoute, underParent } from '../playground-fixtures.ts';
import { silenced } from '../silenced.ts';

const HOME: Route = { screen: 'home' };
const ORGANIZATION: Route = { screen: 'organization', orgUuid: 'o1' };
const PROJECT: Route = { screen: 'project', orgUuid: 'o1', projectUuid: 'p1' };

/** A workspace whose page, stream and server are the test's. */
async function open(route: Route) {
  let tellPage: (event: PageEvent) => void = () => {};
  let tellStream: (event: StreamEvent) => void = () => {};
  const server: { memberships: Membership[]; reads: number } = { memberships: ann.memberships, reads: 0 };
  const workspace = silenced(workspaceMachine, {
    ...reading(
      () => ann,
      () => {
        server.reads += 1;
        return server.memberships;
      },
    ),
    events: silenced(eventsMachine).provide({
      actors: {
        pagePresence: fromCallback(({ sendBack }) => {
          tellPage = sendBack;
        }),
        eventStream: fromCallback(({ sendBack }) => {
          tellStream = sendBack;
        }),
      },
    }),
  });
  const { child: actor, told } = underParent(workspace, { route, browserLanguages: [] });
  await waitFor(actor, (snapshot) => snapshot.hasTag('ready'));
  tellPage({ type: 'page.present' });
  tellStream({ type: 'stream.opened' });
  const settle = () => waitFor(actor, (snapshot) => snapshot.matches({ ready: { memberships: 'known' } }));
  return {
    actor,
    server,
    settle,
    told,
    page: (event: PageEvent) => tellPage(event),
    push: async (...events: ConsoleEvent[]) => {
      for (const event of events) tellStream({ type: 'stream.received', event });
      await settle();
    },
  };
}

const notice = (text: string) => ({ type: 'toast.requested', kind: 'notice', text });

afterEach(() => {
  vi.useRealTimers();
});

describe('CON-04 what changes elsewhere', () => {
  it('CON-04 a removal is said, and leads to the organization that is left', async () => {
    const { server, push, told } = await open(PROJECT);
    server.memberships = [membership('o2', ['p3'])];
    await push({ type: 'membership.removed', organization_uuid: 'o1' });
    expect(told).toEqual([
      notice('You were removed from Organization o1.'),
      { type: 'navigate.requested', to: { screen: 'organization', orgUuid: 'o2' }, replace: true },
    ]);
  });

  it('CON-04 UXP-98 a deletion is said as one, and leads to the welcome screen where nothing is left', async () => {
    const { server, push, told } = await open(ORGANIZATION);
    server.memberships = [];
    await push({ type: 'organization.deleted', organization_uuid: 'o1' });
    expect(told).toEqual([
      notice(
        'Organization Organization o1 was deleted. Organization Organization o2 was deleted, or you were removed from it.',
      ),
      { type: 'navigate.requested', to: { screen: 'welcome' }, replace: true },
    ]);
  });

  it('CON-04 a project that goes leads to its organization; one elsewhere is said and leads nowhere', async () => {
    const { actor, server, push, told } = await open(PROJECT);
    server.memberships = [membership('o1', ['p1']), membership('o2', ['p3'])];
    await push({ type: 'project.deleted', organization_uuid: 'o1', project_uuid: 'p2' });
    expect(told.splice(0)).toEqual([notice('Project Project p2 was deleted.')]);
    server.memberships = [membership('o1', []), membership('o2', ['p3'])];
    await push({ type: 'project_member.removed', organization_uuid: 'o1', project_uuid: 'p1' });
    expect(told).toEqual([
      notice('You were removed from project Project p1.'),
      { type: 'navigate.requested', to: ORGANIZATION, replace: true },
    ]);
    // Until the next screen is there this one stays as it is.
    expect(actor.getSnapshot().hasTag('projectMissing')).toBe(false);
  });

  it('CON-04 another role and other names are said, on a focus as well as by a push', async () => {
    const { server, page, settle, told } = await open({ screen: 'members', orgUuid: 'o1' });
    const [one] = ann.memberships;
    if (!one) throw new Error('nobody');
    server.memberships = [
      { ...one, role: 'billing', organization: { ...one.organization, name: 'ACME' } },
      membership('o2', ['p3']),
    ];
    page({ type: 'page.focused' });
    await settle();
    expect(told).toEqual([
      notice('Organization Organization o1 is now called ACME. Your role in ACME is now Billing.'),
    ]);
  });

  it('CON-04 a call that finds nothing at its place has the memberships read again', async () => {
    const { server, page, settle, told } = await open(PROJECT);
    server.memberships = [membership('o1', ['p2']), membership('o2', ['p3'])];
    page({ type: 'place.missed' });
    await settle();
    expect(told[0]).toEqual(notice('Project Project p1 was deleted, or you were removed from it.'));
  });

  it('CON-04 is not lost while a dialog is open, and what is typed there stays', async () => {
    const { actor, server, push, told } = await open(ORGANIZATION);
    actor.send({ type: 'organization.create.requested' });
    const form = actor.getSnapshot().children.organizationForm;
    form?.send({ type: 'field.changed', field: 'name', value: 'Acme' });
    server.memberships = [membership('o1', ['p1'])];
    await push({ type: 'membership.removed', organization_uuid: 'o2' });
    expect(told[0]).toEqual(
      notice('Project Project p2 was deleted, or you were removed from it. You were removed from Organization o2.'),
    );
    expect(actor.getSnapshot().context.memberships).toHaveLength(1);
    expect(actor.getSnapshot().children.organizationForm).toBe(form);
    actor.send({ type: 'memberships.stale', route: { screen: 'home' } });
    expect(told.at(-1)).toEqual({ type: 'navigate.requested', to: { screen: 'home' } });
    expect(actor.getSnapshot().children.organizationForm).toBe(form);
  });

  it.each<[string, ConsoleEvent, Membership[], Route | null]>([
    [
      'a deletion',
      { type: 'organization.deleted', organization_uuid: 'o1', own: true },
      [membership('o2', ['p3'])],
      HOME,
    ],
    [
      'a departure',
      { type: 'membership.removed', organization_uuid: 'o1', own: true },
      [membership('o2', ['p3'])],
      HOME,
    ],
    [
      'a new name',
      { type: 'organization.changed', organization_uuid: 'o1', own: true },
      ann.memberships.map((each) => ({ ...each, organization: { ...each.organization, name: 'Organization o2' } })),
      null,
    ],
  ])(
    'CON-04 %s by this page is no news to it, whether its event or its answer comes first',
    async (_, event, after, route) => {
      const opened = route ? [{ type: 'navigate.requested', to: route }] : [];
      const early = await open(ORGANIZATION);
      early.server.memberships = after;
      await early.push(event);
      early.actor.send({ type: 'memberships.stale', route });
      await early.settle();
      expect(early.told).toEqual(opened);

      const late = await open(ORGANIZATION);
      late.server.memberships = after;
      late.actor.send({ type: 'memberships.stale', route });
      await late.settle();
      await late.push(event);
      expect(late.told).toEqual(opened);
    },
  );

  it('CON-04 from a place that the person left here, the page goes by itself if the answer is lost', async () => {
    vi.useFakeTimers();
    const { server, push, told } = await open(ORGANIZATION);
    server.memberships = [membership('o2', ['p3'])];
    await push({ type: 'membership.removed', organization_uuid: 'o1', own: true });
    vi.advanceTimersByTime(9999);
    expect(told).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(told).toEqual([
      { type: 'navigate.requested', to: { screen: 'organization', orgUuid: 'o2' }, replace: true },
    ]);
  });

  it.each<[string, ConsoleEvent]>([
    ['a role that it gave to somebody else', { type: 'members.changed', organization_uuid: 'o1', own: true }],
    ['a new name that it gave', { type: 'organization.changed', organization_uuid: 'o1', own: true }],
    ['the removal of a project', { type: 'project.deleted', organization_uuid: 'o1', project_uuid: 'p1', own: true }],
  ])('CON-04 %s hides nothing of what others do meanwhile', async (_, own) => {
    const { server, push, told } = await open(PROJECT);
    server.memberships = [membership('o2', ['p3'])];
    await push(own, { type: 'membership.removed', organization_uuid: 'o1' });
    expect(told).toEqual([
      notice('You were removed from Organization o1.'),
      { type: 'navigate.requested', to: { screen: 'organization', orgUuid: 'o2' }, replace: true },
    ]);
  });

  it.each<[string, ConsoleEvent[], string]>([
    [
      'that is told',
      [{ type: 'membership.removed', organization_uuid: 'o1' }],
      'You were removed from Organization o1.',
    ],
    [
      'that no event tells',
      [{ type: 'resync' }],
      'Organization Organization o1 was deleted, or you were removed from it.',
    ],
  ])('CON-04 a change to the place of the screen does not hide a removal by others %s', async (_, events, text) => {
    const { actor, server, push, told } = await open(ORGANIZATION);
    server.memberships = [membership('o2', ['p3'])];
    actor.send({ type: 'memberships.stale', route: null });
    await push(...events);
    expect(told).toEqual([
      notice(text),
      { type: 'navigate.requested', to: { screen: 'organization', orgUuid: 'o2' }, replace: true },
    ]);
  });

  it('CON-04 of what it did itself to its own role, it hides that only', async () => {
    const { server, push, told } = await open(ORGANIZATION);
    server.memberships = [
      {
        ...membership('o1', ['p1', 'p2']),
        role: 'member',
        organization: { ...membership('o1', []).organization, name: 'Other' },
      },
      membership('o2', ['p3']),
    ];
    await push({ type: 'membership.changed', organization_uuid: 'o1', own: true });
    expect(told).toEqual([notice('Organization Organization o1 is now called Other.')]);
  });

  it('CON-04 names that the page gave itself are no news; one that another page gave meanwhile is', async () => {
    const { server, push, told } = await open(ORGANIZATION);
    const one = membership('o1', ['p1', 'p2']);
    const renamed = one.projects.map((project) => ({ ...project, name: `New ${project.name}` }));
    server.memberships = [
      { ...one, organization: { ...one.organization, name: 'Other' }, projects: renamed },
      membership('o2', ['p3']),
    ];
    const p2 = { type: 'project.changed', organization_uuid: 'o1', project_uuid: 'p2' } as const;
    await push(
      { type: 'organization.changed', organization_uuid: 'o1', own: true },
      { type: 'project.changed', organization_uuid: 'o1', project_uuid: 'p1', own: true },
      p2,
      { ...p2, own: true },
    );
    expect(told).toEqual([notice('Project Project p2 is now called New Project p2.')]);
  });

  it('CON-04 projects that another role no longer sees are not called deleted', async () => {
    const { server, push, told } = await open(ORGANIZATION);
    server.memberships = [{ ...membership('o1', ['p2']), role: 'member' }, membership('o2', ['p3'])];
    await push({ type: 'membership.changed', organization_uuid: 'o1' });
    expect(told).toEqual([notice('Your role in Organization o1 is now Member.')]);
  });

  it('CON-04 a role that no longer allows the playground closes it, rather than letting its calls be refused', async () => {
    const { actor, server, push } = await open(playgroundRoute());
    expect(actor.getSnapshot().children.playground).toBeDefined();
    server.memberships = [{ ...membership('o1', ['p1', 'p2']), role: 'billing' }, membership('o2', ['p3'])];
    await push({ type: 'membership.changed', organization_uuid: 'o1' });
    expect(actor.getSnapshot().children.playground).toBeUndefined();
    expect(actor.getSnapshot().hasTag('forbidden')).toBe(true);
  });

  it('CON-04 CON-05 what changes while the memberships are read has them read again', async () => {
    const { server, page, push } = await open(ORGANIZATION);
    page({ type: 'page.focused' });
    await push({ type: 'membership.changed', organization_uuid: 'o1' });
    expect(server.reads).toBe(2);
  });
});

describe('memberships that are read again', () => {
  const SETTINGS: Route = { screen: 'organizationSettings', orgUuid: 'o1' };
  const ours = membership('o1', ['p1', 'p2']);
  /** The settings of the first organization, once the memberships were read again: whether it was called missing meanwhile. */
  const after = async (memberships: Membership[], route: Route | null = null) => {
    const { actor, server } = await open(SETTINGS);
    const { organizationSettings: screen } = actor.getSnapshot().children;
    const missing: boolean[] = [];
    actor.subscribe((snapshot) => missing.push(snapshot.hasTag('organizationMissing')));
    server.memberships = memberships;
    actor.send({ type: 'memberships.stale', route });
    await waitFor(actor, (snapshot) => snapshot.matches({ ready: { dialog: 'closed', memberships: 'known' } }));
    return { actor, screen, missing };
  };

  it('ORG-06: what was deleted is not called missing while the next screen is on its way', async () => {
    const { actor, missing } = await after([membership('o2', ['p3'])], { screen: 'home' });
    actor.send({ type: 'route.changed', route: { screen: 'organization', orgUuid: 'o2' } });
    expect(missing).not.toContain(true);
    expect(actor.getSnapshot().context.memberships).toHaveLength(1);
    expect(actor.getSnapshot().children.organization).toBeDefined();
  });

  it('ORG-06: a new name shows although the screen stays as it is', async () => {
    const { actor, screen } = await after([{ ...ours, organization: { ...ours.organization, name: 'New name' } }]);
    expect(actor.getSnapshot().context.memberships[0]?.organization.name).toBe('New name');
    expect(actor.getSnapshot().children.organizationSettings).toBe(screen);
  });

  it('ORG-08: a screen that the new role may not open is closed', async () => {
    const { actor } = await after([{ ...ours, role: 'member' }]);
    expect(actor.getSnapshot().hasTag('forbidden')).toBe(true);
    expect(actor.getSnapshot().children.organizationSettings).toBeUndefined();
  });
});
