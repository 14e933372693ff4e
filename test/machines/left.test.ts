import { describe, expect, it } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor } from 'xstate';
import type { Membership } from '#contract/organizations.ts';
import type { MembershipsRead } from '#machines/workspace/actors.ts';
import { dashboardMachine } from '#machines/workspace/dashboard/machine.ts';
import type { ProjectSelected, WorkspaceData } from '#machines/workspace/actors.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import type { Route } from '#machines/shared/route.ts';
import { ann, later, membership } from './people.ts';
import { silenced } from './silenced.ts';

const settings: Route = { screen: 'organizationSettings', orgUuid: 'o1' };

/** A workspace at the settings of the first organization, whose memberships are read again when `again` is settled. */
async function start() {
  const again = later<Membership[]>();
  const workspace = createActor(
    silenced(workspaceMachine).provide({
      actors: {
        loadWorkspace: fromPromise<WorkspaceData, void>(async () => ann),
        loadMemberships: fromPromise<MembershipsRead, void>(async () => ({
          memberships: await again.promise,
          own: [],
        })),
        projectMemory: fromCallback<ProjectSelected, void>(() => undefined),
        organization: dashboardMachine,
      },
    }),
    { input: { route: settings, browserLanguages: [] } },
  ).start();
  await waitFor(workspace, (snapshot) => snapshot.hasTag('ready'));
  const closed = () =>
    waitFor(workspace, (snapshot) => snapshot.matches({ ready: { dialog: 'closed', memberships: 'known' } }));
  return { workspace, again, closed };
}

describe('memberships that are read again', () => {
  it('ORG-06: what was deleted is not called missing while the next screen is on its way', async () => {
    const { workspace, again, closed } = await start();
    const missing: boolean[] = [];
    workspace.subscribe((snapshot) => missing.push(snapshot.hasTag('organizationMissing')));
    workspace.send({ type: 'memberships.stale', route: { screen: 'home' } });
    again.resolve([membership('o2', ['p3'])]);
    await closed();
    workspace.send({ type: 'route.changed', route: { screen: 'organization', orgUuid: 'o2' } });
    expect(missing).not.toContain(true);
    expect(workspace.getSnapshot().context.memberships).toHaveLength(1);
    expect(workspace.getSnapshot().children.organization).toBeDefined();
  });

  it('ORG-06: a new name shows although the screen stays as it is', async () => {
    const { workspace, again, closed } = await start();
    const screen = workspace.getSnapshot().children.organizationSettings;
    workspace.send({ type: 'memberships.stale', route: null });
    const renamed = {
      ...membership('o1', ['p1', 'p2']),
      organization: { ...membership('o1', []).organization, name: 'New name' },
    };
    again.resolve([renamed]);
    await closed();
    expect(workspace.getSnapshot().context.memberships[0]?.organization.name).toBe('New name');
    expect(workspace.getSnapshot().children.organizationSettings).toBe(screen);
  });

  it('ORG-08: a screen that the new role may not open is closed', async () => {
    const { workspace, again, closed } = await start();
    workspace.send({ type: 'memberships.stale', route: null });
    again.resolve([{ ...membership('o1', ['p1', 'p2']), role: 'member' }]);
    await closed();
    expect(workspace.getSnapshot().hasTag('forbidden')).toBe(true);
    expect(workspace.getSnapshot().children.organizationSettings).toBeUndefined();
  });
});
