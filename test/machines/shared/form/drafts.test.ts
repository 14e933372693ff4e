import { describe, expect, it } from 'vitest';
import { fromPromise, waitFor } from 'xstate';
import type { ApiKey } from '#contract/api-keys.ts';
import type { Invitation } from '#contract/members.ts';
import { apiKeysMachine } from '#machines/workspace/apiKeys/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { draftOf, type KeptDrafts } from '#machines/shared/form/drafts.ts';
import { invitationForm } from '#machines/workspace/invitation/form.ts';
import { invitationMachine } from '#machines/workspace/invitation/machine.ts';
import type { Reloaded } from '#machines/root/actors.ts';
import { sessionOf, workspaceOf } from '#machines/root/select.ts';
import type { Route } from '#machines/shared/route.ts';
import type { WorkspaceData } from '#machines/workspace/actors.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { pageWith, reading } from '../../page.ts';
import { ann, pair } from '../../people.ts';
import { silenced } from '../../silenced.ts';

const bob: WorkspaceData = { ...ann, user: { ...ann.user, uuid: 'u2', email: 'bob@example.com' } };

/** A signed-in page; `people` tells who the next workspace is of. */
async function open(route: Route, keptDrafts: KeptDrafts | null = null) {
  const reloaded: Reloaded[] = [];
  const people: WorkspaceData[] = [];
  const pending = new CallError({ kind: 'HTTP', status: 400, errorType: 'invitation_pending', message: 'Pending.' });
  const root = pageWith(
    pair('a'),
    {
      reloadPage: fromPromise<never, Reloaded>(({ input }) => {
        reloaded.push(input);
        return new Promise(() => {});
      }),
      workspace: silenced(workspaceMachine, {
        ...reading(() => people.shift() ?? ann),
        apiKeys: silenced(apiKeysMachine, { loadKeys: fromPromise(async (): Promise<readonly ApiKey[]> => []) }),
        invitation: silenced(invitationMachine, {
          form: invitationForm.provide({ actors: { submit: fromPromise(() => Promise.reject(pending)) } }),
          loadInvitations: fromPromise(async (): Promise<readonly Invitation[]> => []),
        }),
      }),
    },
    { keptDrafts },
  ).start();
  root.send({ type: 'route.changed', route });
  const workspace = async () => {
    const opened = workspaceOf(await waitFor(root, (snapshot) => workspaceOf(snapshot) !== undefined));
    if (!opened) throw new Error('Nobody is signed in.');
    await waitFor(opened, (snapshot) => snapshot.hasTag('ready'));
    return opened;
  };
  const signInAgain = (person: WorkspaceData, name = 'b') => {
    people.push(person);
    sessionOf(root).send({ type: 'signIn.succeeded', tokens: pair(name) });
    return workspace();
  };
  const refuse = (name = 'a') => sessionOf(root).send({ type: 'call.refused', access: `access-${name}`, from: '/' });
  return { root, workspace, signInAgain, refuse, reloaded };
}

const keys: Route = { screen: 'apiKeys', orgUuid: 'o1', projectUuid: 'p1' };
const user: Route = { screen: 'user' };

type Workspace = Awaited<ReturnType<Awaited<ReturnType<typeof open>>['workspace']>>;

const projectFormIn = (workspace: Workspace) => workspace.getSnapshot().children.projectForm;

function typeProject(workspace: Workspace) {
  workspace.send({ type: 'project.create.requested' });
  projectFormIn(workspace)?.send({ type: 'field.changed', field: 'name', value: 'Half a name' });
}

describe('a session that ends in the middle of a form', () => {
  it('SES-06 SES-07: opens the dialog again with what was typed, for the same person, also when the values were on their way', async () => {
    const { workspace, refuse, signInAgain } = await open({ screen: 'organization', orgUuid: 'o1' });
    const before = await workspace();
    typeProject(before);
    projectFormIn(before)?.send({ type: 'submit.requested' });
    refuse();
    const after = await signInAgain(ann);
    const form = projectFormIn(after);
    expect(form?.getSnapshot().context.values).toEqual({ name: 'Half a name', description: '' });
    expect(form?.getSnapshot().context.about).toEqual({ orgUuid: 'o1' });
    form?.send({ type: 'dismiss.requested' });
    // It counts as typed: leaving it asks first. Left for good, it does not come back.
    expect(form?.getSnapshot().hasTag('asking')).toBe(true);
    form?.send({ type: 'discard.confirmed' });
    after.send({ type: 'project.create.requested' });
    expect(projectFormIn(after)?.getSnapshot().context.values.name).toBe('');
  });

  it('SES-06: gives nobody else what was typed, nor the same person after somebody else', async () => {
    const { root, workspace, refuse, signInAgain } = await open({ screen: 'organization', orgUuid: 'o1' });
    typeProject(await workspace());
    refuse();
    const other = await signInAgain(bob);
    expect(projectFormIn(other)).toBeUndefined();
    expect(JSON.stringify(other.getSnapshot().context)).not.toContain('Half a name');
    refuse('b');
    expect(root.getSnapshot().context.keptDrafts).toEqual({ userUuid: 'u2', drafts: [] });
    expect(projectFormIn(await signInAgain(ann, 'c'))).toBeUndefined();
  });

  it('SES-08: forgets it when the person signs out', async () => {
    const { root, workspace, signInAgain } = await open({ screen: 'organization', orgUuid: 'o1' });
    typeProject(await workspace());
    sessionOf(root).send({ type: 'signOut.requested' });
    await waitFor(root, (snapshot) => !snapshot.hasTag('signedIn'));
    expect(root.getSnapshot().context.keptDrafts).toBeNull();
    expect(projectFormIn(await signInAgain(ann))).toBeUndefined();
  });

  it('SES-09: gives it back as well when another tab ended the session and brought it back', async () => {
    const { root, workspace } = await open({ screen: 'organization', orgUuid: 'o1' });
    typeProject(await workspace());
    sessionOf(root).send({ type: 'tokens.changed', tokens: null });
    sessionOf(root).send({ type: 'tokens.changed', tokens: pair('b') });
    expect(projectFormIn(await workspace())?.getSnapshot().context.values.name).toBe('Half a name');
  });

  it('SES-07 PRJ-03: the form of a key comes back on its screen, not on that of another project, and only at once', async () => {
    const { root, workspace, refuse, signInAgain } = await open(keys);
    const type = async () => {
      const screen = (await workspace()).getSnapshot().children.apiKeys;
      if (!screen) throw new Error('The keys are not open.');
      await waitFor(screen, (snapshot) => snapshot.matches({ keys: 'ready' }));
      screen.send({ type: 'key.create.requested' });
      screen.getSnapshot().children.keyForm?.send({ type: 'field.changed', field: 'name', value: 'Build server' });
    };
    await type();
    refuse();
    const again = (await signInAgain(ann)).getSnapshot().children.apiKeys;
    if (again) await waitFor(again, (snapshot) => snapshot.matches({ keys: { ready: 'making' } }));
    expect(again?.getSnapshot().children.keyForm?.getSnapshot().context.values).toEqual({
      name: 'Build server',
      expiresInDays: '',
    });
    refuse('b');
    root.send({ type: 'route.changed', route: { ...keys, projectUuid: 'p2' } });
    const other = (await signInAgain(ann, 'c')).getSnapshot().children.apiKeys;
    if (other) await waitFor(other, (snapshot) => snapshot.matches({ keys: 'ready' }));
    expect(other?.getSnapshot().matches({ keys: { ready: 'empty' } })).toBe(true);
    root.send({ type: 'route.changed', route: keys });
    expect((await workspace()).getSnapshot().context.drafts).toEqual([]);
  });

  it("SES-07 CON-03: an invitation's input returns after a session that ended at the pending question; it counts as unsaved", async () => {
    const { workspace, refuse, signInAgain } = await open({ screen: 'invitation', orgUuid: 'o1' });
    const before = await workspace();
    const screen = before.getSnapshot().children.invitation;
    screen?.getSnapshot().children.form?.send({ type: 'field.changed', field: 'email', value: 'cy@example.com' });
    screen?.getSnapshot().children.form?.send({ type: 'field.changed', field: 'role', value: 'admin' });
    screen?.getSnapshot().children.form?.send({ type: 'submit.requested' });
    if (screen) await waitFor(screen, (snapshot) => snapshot.matches({ pending: 'deciding' }));
    expect(before.getSnapshot().children.leaveGuard?.getSnapshot().context.unsavedWork).toMatchObject([
      { kind: 'form', scope: 'screen' },
    ]);
    refuse();
    const after = (await signInAgain(ann)).getSnapshot().children.invitation;
    expect(after?.getSnapshot().children.form?.getSnapshot().context.values).toEqual({
      email: 'cy@example.com',
      role: 'admin',
      scope: 'all',
      projects: '',
    });
  });

  it('SES-01 ACC-09: a name comes back, a password never does and is held nowhere', async () => {
    const { root, workspace, refuse, signInAgain } = await open(user);
    const page = (await workspace()).getSnapshot().children.userSettings;
    page?.getSnapshot().children.profileForm?.send({ type: 'field.changed', field: 'name', value: 'Anna' });
    for (const field of ['current_password', 'new_password', 'confirm_password'] as const)
      page?.getSnapshot().children.changePasswordForm?.send({ type: 'field.changed', field, value: 'correct horse' });
    refuse();
    expect(JSON.stringify(root.getSnapshot().context)).not.toContain('correct horse');
    const { children } = (await signInAgain(ann)).getSnapshot().children.userSettings?.getSnapshot() ?? {};
    expect(children?.profileForm?.getSnapshot().context.values).toEqual({ name: 'Anna' });
    expect(children?.changePasswordForm?.getSnapshot().context.values).toMatchObject({
      current_password: '',
      new_password: '',
      confirm_password: '',
    });
  });
});

describe('a page that is loaded anew', () => {
  const route: Route = { screen: 'organization', orgUuid: 'o1' };

  it('ERR-10: asks first, and what was typed goes with it to the same person', async () => {
    const { root, workspace, reloaded } = await open(route);
    const inside = await workspace();
    typeProject(inside);
    root.send({ type: 'reload.requested' });
    expect(reloaded).toEqual([]);
    inside.getSnapshot().children.leaveGuard?.send({ type: 'leave.chosen' });
    expect(reloaded).toHaveLength(1);
    // Nothing holds it back any more.
    expect(inside.getSnapshot().status).toBe('stopped');
    const keptDrafts = reloaded[0]?.keptDrafts ?? null;
    expect(reloaded[0]?.route).toEqual(route);
    expect(keptDrafts?.drafts).toEqual([
      { form: 'projectForm', about: { orgUuid: 'o1' }, values: { name: 'Half a name' } },
    ]);
    const after = async (drafts: KeptDrafts | null) => projectFormIn(await (await open(route, drafts)).workspace());
    expect((await after(keptDrafts))?.getSnapshot().context.values).toEqual({ name: 'Half a name', description: '' });
    expect(await after(keptDrafts && { ...keptDrafts, userUuid: 'u9' })).toBeUndefined();
  });

  it('ERR-10: asks nobody where nothing would be lost, inside and outside', async () => {
    const inside = await open(route);
    await inside.workspace();
    inside.root.send({ type: 'reload.requested' });
    expect(inside.reloaded.map(({ keptDrafts }) => keptDrafts?.drafts)).toEqual([[]]);
    const outside = await open({ screen: 'signIn', from: '/' });
    outside.root.send({ type: 'reload.requested' });
    expect(outside.reloaded).toHaveLength(1);
  });
});

describe('drafts', () => {
  it('belong to one form of one thing', () => {
    const drafts = [{ form: 'keyForm', about: { projectUuid: 'p1' }, values: { name: 'CI' } }];
    expect(draftOf(drafts, 'keyForm', { projectUuid: 'p1' })).toEqual({ name: 'CI' });
    expect(draftOf(drafts, 'keyForm', { projectUuid: 'p2' })).toBeUndefined();
    expect(draftOf(drafts, 'keyForm', {})).toBeUndefined();
    expect(draftOf(drafts, 'keyForm', { projectUuid: 'p1', orgUuid: 'o1' })).toBeUndefined();
    expect(draftOf(drafts, 'projectForm', { projectUuid: 'p1' })).toBeUndefined();
  });
});
