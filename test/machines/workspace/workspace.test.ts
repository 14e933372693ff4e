import { describe, expect, it } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor } from 'xstate';
import type { MembershipsRead, ProjectSelected, WorkspaceData } from '#machines/workspace/actors.ts';
import { organizationForm } from '#machines/workspace/forms.ts';
import { membersMachine } from '#machines/workspace/members/machine.ts';
import type { People } from '#machines/workspace/members/actors.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { currentProject, homeOf } from '#machines/root/select.ts';
import type { Route } from '#machines/shared/route.ts';
import { hasProjectNamed, selectFrom } from '#machines/workspace/select.ts';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { reading } from '../page.ts';
import { ann, membership } from '../people.ts';
import { playgroundRoute } from '../playground-fixtures.ts';
import { silenced } from '../silenced.ts';

const nowhere = { orgUuid: null, projectUuid: null };

async function start(data: WorkspaceData = ann, route: Route = { screen: 'home' }) {
  const remembered: ProjectSelected[] = [];
  const workspace = createActor(
    silenced(workspaceMachine).provide({
      actors: {
        ...reading(
          () => data,
          () => [...data.memberships, membership('o9', [])],
        ),
        projectMemory: fromCallback(({ receive }) => {
          receive((event) => remembered.push(event));
        }),
        organizationForm: organizationForm.provide({
          actors: {
            submit: fromPromise(async () => ({ organization: { uuid: 'o9' } })),
          },
        }),
        playground: playgroundMachine,
      },
    }),
    { input: { route, browserLanguages: [] } },
  ).start();
  await waitFor(workspace, (snapshot) => snapshot.hasTag('ready'));
  return { workspace, remembered };
}

describe('selection', () => {
  it('SEL-01: the project of the route, else the remembered one, else the first', () => {
    const known = { memberships: ann.memberships, remembered: { o1: 'p2' } };
    expect(selectFrom(known, { screen: 'project', orgUuid: 'o1', projectUuid: 'p1' }, nowhere)).toEqual({
      orgUuid: 'o1',
      projectUuid: 'p1',
    });
    expect(selectFrom(known, { screen: 'organization', orgUuid: 'o1' }, nowhere)).toEqual({
      orgUuid: 'o1',
      projectUuid: 'p2',
    });
    expect(
      selectFrom({ ...known, remembered: { o1: 'gone' } }, { screen: 'organization', orgUuid: 'o1' }, nowhere),
    ).toEqual({ orgUuid: 'o1', projectUuid: 'p1' });
    expect(selectFrom(known, { screen: 'user', poi: 'o2' }, nowhere)).toEqual({ orgUuid: 'o2', projectUuid: 'p3' });
  });

  it('SEL-01 SEL-02: a project that the route names is selected and remembered, once', async () => {
    const { workspace, remembered } = await start({ ...ann, remembered: { o1: 'p1', o2: 'p3' } });
    const route: Route = { screen: 'project', orgUuid: 'o1', projectUuid: 'p2' };
    workspace.send({ type: 'route.changed', route });
    workspace.send({ type: 'route.changed', route: { screen: 'organization', orgUuid: 'o1' } });
    expect(remembered).toEqual([{ type: 'project.selected', orgUuid: 'o1', projectUuid: 'p2' }]);
    expect(currentProject(workspace.getSnapshot())?.uuid).toBe('p2');
  });

  it('ERR-04: tells a route that names what is not there', async () => {
    const { workspace } = await start();
    workspace.send({ type: 'route.changed', route: { screen: 'organization', orgUuid: 'other' } });
    expect(workspace.getSnapshot().hasTag('organizationMissing')).toBe(true);
    workspace.send({ type: 'route.changed', route: { screen: 'project', orgUuid: 'o1', projectUuid: 'p3' } });
    expect(workspace.getSnapshot().hasTag('projectMissing')).toBe(true);
    workspace.send({ type: 'route.changed', route: { screen: 'organization', orgUuid: 'o1' } });
    expect(workspace.getSnapshot().matches({ ready: { selection: 'selected' } })).toBe(true);
  });

  it('NAV-01: home is the first organization, and there is none without one', async () => {
    expect(homeOf((await start()).workspace.getSnapshot())).toEqual({ screen: 'organization', orgUuid: 'o1' });
    const { workspace } = await start({ ...ann, memberships: [] });
    expect(homeOf(workspace.getSnapshot())).toBeNull();
    expect(workspace.getSnapshot().hasTag('noOrganization')).toBe(true);
  });
});

describe('the playground', () => {
  it('lives while its project is in the address, and is another one for another project', async () => {
    const { workspace } = await start();
    const playground = () => workspace.getSnapshot().children.playground;
    expect(playground()).toBeUndefined();
    workspace.send({ type: 'route.changed', route: playgroundRoute() });
    const first = playground();
    workspace.send({ type: 'route.changed', route: playgroundRoute({ mode: 'real-time' }) });
    expect(playground()).toBe(first);
    workspace.send({ type: 'route.changed', route: playgroundRoute({ projectUuid: 'p2' }) });
    expect(playground()).not.toBe(first);
    expect(first?.getSnapshot().status).toBe('stopped');
    workspace.send({ type: 'route.changed', route: { screen: 'user' } });
    expect(playground()).toBeUndefined();
  });
});

it('PRJ-01: a name that another project of the selected organization has is known, however it is written', () => {
  const known = { memberships: ann.memberships, selection: { orgUuid: 'o1', projectUuid: null } };
  expect(['Project p1', ' project P1 ', 'Project p3', ''].map((name) => hasProjectNamed(known, name))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

describe('the palette', () => {
  it('UXP-112: looks for an id in the project of the address only', async () => {
    const { workspace } = await start();
    const { palette } = workspace.getSnapshot().children;
    const looks = () => {
      palette?.send({ type: 'palette.requested' });
      palette?.send({ type: 'query.changed', query: '6f1e4a52-8a3b-4c0d-9a56-0d6c3f1b2a10' });
      return palette?.getSnapshot().children.lookup?.getSnapshot().context.place ?? null;
    };
    workspace.send({ type: 'route.changed', route: { screen: 'project', orgUuid: 'o1', projectUuid: 'p1' } });
    expect(looks()).toEqual({ orgUuid: 'o1', projectUuid: 'p1', mayOpen: true });
    workspace.send({ type: 'route.changed', route: { screen: 'user' } });
    expect(looks()).toBeNull();
  });

  it('closes as another screen opens', async () => {
    const { workspace } = await start();
    const { palette } = workspace.getSnapshot().children;
    palette?.send({ type: 'palette.requested' });
    expect(palette?.getSnapshot().hasTag('paletteOpen')).toBe(true);
    workspace.send({ type: 'route.changed', route: { screen: 'user' } });
    expect(palette?.getSnapshot().hasTag('paletteOpen')).toBe(false);
  });
});

describe('dialogs', () => {
  it("ORG-01: the new organization has the person's e-mail filled in, and is among the memberships once it is made", async () => {
    const { workspace } = await start();
    expect(workspace.getSnapshot().can({ type: 'organization.create.requested' })).toBe(true);
    workspace.send({ type: 'organization.create.requested' });
    const form = workspace.getSnapshot().children.organizationForm;
    expect(form?.getSnapshot().context.values.contact_email).toBe('ann@example.com');
    form?.send({ type: 'field.changed', field: 'name', value: 'Acme' });
    form?.send({ type: 'submit.requested' });
    const made = await waitFor(workspace, (snapshot) => snapshot.matches({ ready: { dialog: 'closed' } }));
    expect(made.context.memberships.at(-1)?.organization.uuid).toBe('o9');
    expect(made.context.created).toEqual({ screen: 'organization', orgUuid: 'o9' });
  });

  it('PRJ-02: what changes while the memberships are read is not overlooked', async () => {
    const { workspace } = await start();
    workspace.send({ type: 'memberships.stale', route: null });
    expect(workspace.getSnapshot().matches({ ready: { dialog: 'closed', memberships: 'reading' } })).toBe(true);
    workspace.send({ type: 'memberships.stale', route: { screen: 'home' } });
    expect(workspace.getSnapshot().matches({ ready: { dialog: 'opening' } })).toBe(true);
    expect(workspace.getSnapshot().context.created).toEqual({ screen: 'home' });
  });

  it('ORG-03: left before the answer, the memberships are read again: it may be there all the same', async () => {
    const { workspace } = await start();
    workspace.send({ type: 'organization.create.requested' });
    const form = workspace.getSnapshot().children.organizationForm;
    form?.send({ type: 'field.changed', field: 'name', value: 'Acme' });
    form?.send({ type: 'submit.requested' });
    form?.send({ type: 'dismiss.requested' });
    form?.send({ type: 'discard.confirmed' });
    expect(workspace.getSnapshot().matches({ ready: { dialog: 'closed', memberships: 'reading' } })).toBe(true);
    const checked = await waitFor(workspace, (snapshot) => snapshot.matches({ ready: { memberships: 'known' } }));
    expect(checked.context.memberships.at(-1)?.organization.uuid).toBe('o9');
    expect(checked.context.created).toBeNull();
  });
});

describe('the network', () => {
  it('UXP-41: when it is back, the workspace and then the open screen are read again, the memberships with it', async () => {
    const missing = new Set(['workspace', 'people']);
    const asked: string[] = [];
    const answer = async <Answer>(name: string, given: Answer) => {
      asked.push(name);
      if (missing.has(name)) throw new Error('No network.');
      return given;
    };
    const workspace = createActor(
      silenced(workspaceMachine).provide({
        // There is no parent here.
        actions: { notifyParent: () => undefined },
        actors: {
          loadWorkspace: fromPromise(() => answer('workspace', ann)),
          loadMemberships: fromPromise<MembershipsRead, void>(() =>
            answer('memberships', { memberships: ann.memberships }),
          ),
          members: silenced(membersMachine, {
            loadPeople: fromPromise<People, { orgUuid: string; withInvitations: boolean }>(() =>
              answer('people', { members: [], invitations: [] }),
            ),
          }),
        },
      }),
      { input: { route: { screen: 'members', orgUuid: 'o1' }, browserLanguages: [] } },
    ).start();
    await waitFor(workspace, (snapshot) => snapshot.hasTag('failed'));
    missing.delete('workspace');
    workspace.send({ type: 'network.back' });
    const { children } = await waitFor(workspace, (snapshot) => snapshot.hasTag('ready'));
    const members = children.members;
    if (!members) throw new Error('The screen has no chart.');
    await waitFor(members, (snapshot) => snapshot.hasTag('failed'));
    missing.clear();
    workspace.send({ type: 'network.back' });
    await waitFor(members, (snapshot) => !snapshot.hasTag('failed') && !snapshot.hasTag('loading'));
    expect(asked).toEqual(['workspace', 'workspace', 'people', 'people', 'memberships']);
  });
});
