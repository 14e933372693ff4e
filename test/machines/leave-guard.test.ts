// The one guard of the console with the real charts of what is at stake.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor, type AnyActorRef } from 'xstate';
import { keyForm } from '#machines/workspace/apiKeys/form.ts';
import { leavingMachine } from '#machines/workspace/leaving/machine.ts';
import { questionOf } from '#machines/workspace/leaving/texts.ts';
import type { BlockerCommand } from '#machines/workspace/leaving/actors.ts';
import { liveMachine } from '#machines/playground/live/machine.ts';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { projectPeopleMachine } from '#machines/workspace/settings/projectPeople/machine.ts';
import type { ProjectPeople } from '#machines/workspace/settings/projectPeople/actors.ts';
import type { Place, PlaceDetails } from '#machines/workspace/settings/place/actors.ts';
import { projectSettings } from '#machines/workspace/settings/project.ts';
import type { Route } from '#machines/shared/route.ts';
import { ASYNC_DEFAULTS } from '#machines/playground/settings/types.ts';
import type { StreamTold } from '#machines/playground/stream/machine.ts';
import { uploadMachine } from '#machines/playground/upload/machine.ts';
import type { MembershipsRead } from '#machines/workspace/actors.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { playgroundData, reading } from './page.ts';
import { ann, membership } from './people.ts';
import { ASYNC } from './playground-fixtures.ts';
import { silenced } from './silenced.ts';

const PLAYGROUND: Route = { screen: 'playground', orgUuid: 'o1', projectUuid: 'p1', mode: 'real-time' };
const OTHER: Route = { ...PLAYGROUND, projectUuid: 'p2' };
const SETTINGS: Route = { screen: 'projectSettings', orgUuid: 'o1', projectUuid: 'p1' };
const AWAY: Route = { screen: 'members', orgUuid: 'o1' };
const FILE = { name: 'talk.wav', size: 10, type: 'audio/wav' };

/** A workspace whose sessions and uploads go on until the test ends them. */
async function open(route: Route) {
  let memberships: MembershipsRead['memberships'] = ann.memberships;
  const released: BlockerCommand[] = [];
  let isBlocked = false;
  let stream: (told: StreamTold) => void = () => undefined;
  const silent = fromCallback(() => undefined);
  const logic = fromCallback(({ self }) => {
    const parent: unknown = Reflect.get(self, '_parent');
    stream = (told) => (parent as AnyActorRef).send(told);
  });
  const live = silenced(liveMachine, { stream: logic as never, microphone: silent as never, clock: silent as never });
  const workspace = createActor(
    silenced(workspaceMachine, {
      ...reading(
        () => ann,
        () => memberships,
      ),
      leaving: silenced(leavingMachine).provide({
        actors: {
          navigationBlocker: fromCallback(({ receive }) => {
            isBlocked = true;
            receive((command) => void released.push(command as BlockerCommand));
            return () => {
              isBlocked = false;
            };
          }),
        },
      }),
      playground: silenced(playgroundMachine, {
        loadPlayground: playgroundData(),
        files: silent as never,
        transcriptions: silent as never,
        upload: silenced(uploadMachine, { uploadFile: silent as never }),
        live,
      }),
      projectSettings: silenced(projectSettings.machine, {
        loadDetails: fromPromise<PlaceDetails, Place>(async () => ({
          uuid: 'p1',
          fields: { name: 'Talks', description: '' },
        })),
        projectPeople: silenced(projectPeopleMachine, {
          loadProjectPeople: fromPromise<ProjectPeople, { orgUuid: string; projectUuid: string }>(async () => ({
            people: [],
            others: [],
          })),
        }),
      }),
    }),
    { input: { route, browserLanguages: [] } },
  ).start();
  onTestFinished(() => void workspace.stop());
  await waitFor(workspace, (snapshot) => snapshot.hasTag('ready'));
  const guard = () => {
    const { leaving } = workspace.getSnapshot().children;
    if (!leaving) throw new Error('Nobody guards.');
    return leaving;
  };
  const question = () => questionOf(guard().getSnapshot(), workspace.getSnapshot().context);
  /** What the server says the memberships are now. */
  const become = async (now: MembershipsRead['memberships']) => {
    memberships = now;
    workspace.send({ type: 'memberships.outdated' });
    await waitFor(workspace, (snapshot) => snapshot.matches({ ready: { memberships: 'known' } }));
  };
  const go = (to: Route) => workspace.send({ type: 'route.changed', route: to });
  const playground = () => workspace.getSnapshot().children.playground;
  const ready = async () => {
    await expect.poll(() => playground()?.getSnapshot().matches('ready')).toBe(true);
    const child = playground()?.getSnapshot().children.live;
    if (!child) throw new Error('No live side.');
    return child;
  };
  const words = async () =>
    (await ready())
      .getSnapshot()
      .children.transcript?.getSnapshot()
      .context.tail.map(({ text, boundary }) => boundary ?? text);
  return {
    workspace,
    guard,
    question,
    become,
    go,
    ready,
    words,
    playground,
    say: (told: StreamTold) => stream(told),
    isBlocked: () => isBlocked,
    released,
  };
}

const token = (text: string, is_final = true): StreamTold => ({
  type: 'tokens.received',
  tokens: [{ text, is_final }],
});

describe('CON-01: what is at stake registers itself with the one guard', () => {
  const tries = (from: Route, to: Route) => ({ type: 'departure.tried' as const, from, to });

  it('a live session, as long as it runs', async () => {
    const { guard, question, ready, isBlocked, released, go } = await open(PLAYGROUND);
    const live = await ready();
    expect(isBlocked()).toBe(false);
    live.send({ type: 'run.requested' });
    expect(isBlocked()).toBe(true);
    expect(
      guard()
        .getSnapshot()
        .can(tries(PLAYGROUND, { ...PLAYGROUND, panel: 'history', show: 'original' })),
    ).toBe(false);
    guard().send(tries(PLAYGROUND, AWAY));
    expect(question()).toEqual({
      title: 'Leave this page?',
      confirm: 'Leave',
      losses: ['The live session ends. Its text stays in the playground.'],
    });
    guard().send({ type: 'stay.chosen' });
    expect(guard().getSnapshot().hasTag('asking')).toBe(false);
    guard().send(tries(PLAYGROUND, OTHER));
    expect(question()?.losses).toEqual(['The live session ends. Its text is lost.']);
    guard().send({ type: 'leave.chosen' });
    expect(released).toEqual([{ type: 'departure.released' }]);
    go(OTHER);
    expect(isBlocked()).toBe(false);
  });

  it.each<[string, Route]>([
    ['the tab of the REST API', { ...PLAYGROUND, mode: 'async' }],
    ['a file', { ...PLAYGROUND, mode: 'async', fileId: 'f1' }],
    ['a transcription', { ...PLAYGROUND, mode: 'async', transcriptionId: 't1' }],
  ])('a live session, on the way to %s of its own playground: it stops only when that was asked', async (_name, to) => {
    const { guard, question, ready, go, released, say } = await open(PLAYGROUND);
    const live = await ready();
    live.send({ type: 'run.requested' });
    say({ type: 'stream.opened' });
    guard().send(tries(PLAYGROUND, to));
    expect(question()).toEqual({
      title: 'Leave the WebSocket API tab?',
      confirm: 'Leave',
      losses: ['The live session ends. Its text stays in the playground.'],
    });
    guard().send({ type: 'stay.chosen' });
    expect(live.getSnapshot().hasTag('running')).toBe(true);
    guard().send(tries(PLAYGROUND, to));
    guard().send({ type: 'leave.chosen' });
    expect(released).toEqual([{ type: 'departure.released' }]);
    go(to);
    // The session that is finishing has been asked about.
    expect(
      guard()
        .getSnapshot()
        .can(tries(to, { ...PLAYGROUND, mode: 'async', fileId: 'f2' })),
    ).toBe(false);
    expect(guard().getSnapshot().can(tries(to, PLAYGROUND))).toBe(false);
    expect(guard().getSnapshot().can(tries(to, AWAY))).toBe(true);
  });

  it('an upload goes on behind the tabs, and is not among what they lose', async () => {
    const { guard, question, ready, playground } = await open(PLAYGROUND);
    (await ready()).send({ type: 'run.requested' });
    playground()?.send({ type: 'file.chosen', file: FILE });
    guard().send(tries(PLAYGROUND, { ...PLAYGROUND, mode: 'async' }));
    expect(question()?.losses).toEqual(['The live session ends. Its text stays in the playground.']);
    (await ready()).send({ type: 'cancel.requested' });
    guard().send(tries(PLAYGROUND, AWAY));
    expect(question()?.losses).toContain('The upload stops, and the file is not saved.');
  });

  it.each<[string, Route, boolean]>([
    ['another screen of the project', SETTINGS, true],
    ['a screen of the organization', AWAY, true],
    ['the page of the user', { screen: 'user' }, true],
    ['the page of the user, from another organization', { screen: 'user', poi: 'o2' }, false],
    ['home, which is in this organization', { screen: 'home' }, true],
    [
      'a short address, which leads into its first project',
      { screen: 'redirect', into: { screen: 'usageCost' } },
      true,
    ],
    ['another project', { screen: 'project', orgUuid: 'o1', projectUuid: 'p2' }, false],
    ['another organization', { screen: 'members', orgUuid: 'o2' }, false],
  ])('CON-02: says of %s whether the text stays, and so it is', async (_name, to, isKept) => {
    const { guard, question, workspace, ready, go, say } = await open(PLAYGROUND);
    (await ready()).send({ type: 'run.requested' });
    say({ type: 'stream.opened' });
    say(token('Good'));
    guard().send(tries(PLAYGROUND, to));
    expect(question()?.losses).toEqual([
      `The live session ends. ${isKept ? 'Its text stays in the playground.' : 'Its text is lost.'}`,
    ]);
    guard().send({ type: 'leave.chosen' });
    go(to);
    expect(workspace.getSnapshot().context.savedPlayground === null).toBe(!isKept);
  });

  it('CON-02: home, which is in another organization, does not keep the text', async () => {
    const there: Route = { ...PLAYGROUND, orgUuid: 'o2', projectUuid: 'p3' };
    const { guard, question, ready } = await open(there);
    (await ready()).send({ type: 'run.requested' });
    guard().send(tries(there, { screen: 'home' }));
    expect(question()?.losses).toEqual(['The live session ends. Its text is lost.']);
  });

  it.each<[string, MembershipsRead['memberships'], Route, string]>([
    [
      'project',
      [membership('o1', ['p2']), membership('o2', ['p3'])],
      { screen: 'organization', orgUuid: 'o1' },
      'Project Project p1 was deleted, or you were removed from it.',
    ],
    [
      'organization',
      [membership('o2', ['p3'])],
      { screen: 'organization', orgUuid: 'o2' },
      'Organization Organization o1 was deleted, or you were removed from it.',
    ],
  ])(
    'CON-02: where the %s is gone says that the text goes too, and whoever stays keeps it until they leave',
    async (_name, left, refuge, reason) => {
      const { guard, question, become, workspace, ready, words, go, say } = await open(PLAYGROUND);
      const live = await ready();
      live.send({ type: 'run.requested' });
      say({ type: 'stream.opened' });
      say(token('Good'));
      await become(left);
      guard().send(tries(PLAYGROUND, refuge));
      expect(question()?.losses).toEqual([
        reason,
        'The live session ends. Its text is lost, because the project is gone. Stay to copy or save the text first.',
      ]);
      guard().send({ type: 'stay.chosen' });
      // Neither the next news nor another way of showing the text takes the page away.
      await become([...left, membership('o3', [])]);
      go({ ...PLAYGROUND, show: 'original' });
      await become(left);
      expect(
        workspace.getSnapshot().hasTag('projectMissing') || workspace.getSnapshot().hasTag('organizationMissing'),
      ).toBe(false);
      expect(live.getSnapshot().hasTag('running')).toBe(true);
      expect(await words()).toEqual(['Good']);
      guard().send(tries(PLAYGROUND, refuge));
      guard().send({ type: 'leave.chosen' });
      go(refuge);
      expect(live.getSnapshot().status).toBe('stopped');
      expect(workspace.getSnapshot().context.savedPlayground).toBeNull();
      go(PLAYGROUND);
      expect(
        workspace.getSnapshot().hasTag('projectMissing') || workspace.getSnapshot().hasTag('organizationMissing'),
      ).toBe(true);
    },
  );

  it('ERR-10: what loading the page anew would lose, also where only the text of an ended session is there', async () => {
    const { workspace, guard, question, ready, go, say } = await open(PLAYGROUND);
    const reload = () => workspace.send({ type: 'reload.requested' });
    reload();
    expect(question()).toBeNull();
    (await ready()).send({ type: 'run.requested' });
    say({ type: 'stream.opened' });
    say(token('Good'));
    reload();
    expect(question()).toEqual({
      title: 'Load the new version now?',
      confirm: 'Load it',
      losses: ['The live session ends. Its text is lost.'],
    });
    guard().send({ type: 'stay.chosen' });
    guard().send(tries(PLAYGROUND, AWAY));
    guard().send({ type: 'leave.chosen' });
    go(AWAY);
    reload();
    expect(question()?.losses).toEqual([
      "The live transcript isn't saved and will be lost. Stay to copy or save it first.",
    ]);
    guard().send({ type: 'stay.chosen' });
    expect(question()).toBeNull();
  });

  it('an upload, as long as it goes out; a question about nothing is withdrawn', async () => {
    const { guard, question, ready, playground, isBlocked } = await open({ ...PLAYGROUND, mode: 'async' });
    await ready();
    playground()?.send({ type: 'file.chosen', file: FILE });
    expect(isBlocked()).toBe(true);
    guard().send(tries(PLAYGROUND, AWAY));
    expect(question()?.losses).toEqual(['The upload stops, and the file is not saved.']);
    playground()?.getSnapshot().children.upload?.send({ type: 'cancel.requested' });
    expect(guard().getSnapshot().hasTag('asking')).toBe(false);
    expect(isBlocked()).toBe(false);
  });

  it('CON-30: a question about a form stays while what the form began with is read again', async () => {
    const { guard, question, workspace } = await open(SETTINGS);
    const form = () => workspace.getSnapshot().children.projectSettings?.getSnapshot().children.detailsForm;
    await expect.poll(form).toBeDefined();
    form()?.send({ type: 'field.changed', field: 'name', value: 'Half a name' });
    guard().send(tries(SETTINGS, AWAY));
    const asked = ['What you typed is not saved.'];
    expect(question()?.losses).toEqual(asked);
    form()?.send({ type: 'source.changed', initial: { name: 'Talks, renamed' } });
    expect(question()?.losses).toEqual(asked);
    // Nothing is lost where the same has been saved elsewhere.
    form()?.send({ type: 'source.changed', initial: { name: 'Half a name' } });
    expect(question()).toBeNull();
  });

  it('ORG-03: a question about a form that is on its way stays where the server refuses it', async () => {
    const { guard, question, workspace } = await open(SETTINGS);
    const form = () => workspace.getSnapshot().children.projectSettings?.getSnapshot().children.detailsForm;
    await expect.poll(form).toBeDefined();
    form()?.send({ type: 'field.changed', field: 'name', value: 'Half a name' });
    form()?.send({ type: 'submit.requested' });
    guard().send(tries(SETTINGS, AWAY));
    await expect.poll(() => form()?.getSnapshot().context.refusal).not.toBeNull();
    expect(question()?.losses).toEqual(['What you typed is not saved.']);
  });

  it('CON-04: a form whose project is gone is told so, sends nothing more, and the question says which project', async () => {
    const { guard, question, become, workspace, go } = await open(SETTINGS);
    const form = () => workspace.getSnapshot().children.projectSettings?.getSnapshot().children.detailsForm;
    await expect.poll(form).toBeDefined();
    form()?.send({ type: 'field.changed', field: 'name', value: 'Half a name' });
    await become([membership('o1', ['p2']), membership('o2', ['p3'])]);
    const reason = 'Project Project p1 was deleted, or you were removed from it.';
    guard().send(tries(SETTINGS, { screen: 'organization', orgUuid: 'o1' }));
    expect(question()?.losses).toEqual([reason, 'What you typed can no longer be saved. Stay to copy it first.']);
    guard().send({ type: 'stay.chosen' });
    form()?.send({ type: 'submit.requested' });
    expect(form()?.getSnapshot().context).toMatchObject({ lost: reason, values: { name: 'Half a name' } });
    expect(form()?.getSnapshot().hasTag('submitting')).toBe(false);
    // Later news are not about it.
    await become([membership('o1', ['p2']), membership('o2', [])]);
    expect(form()?.getSnapshot().context.lost).toBe(reason);
    // Where it is there again, as for who was taken out by mistake, the form goes on.
    await become(ann.memberships);
    expect(form()?.getSnapshot().context).toMatchObject({ lost: null, values: { name: 'Half a name' } });
    await become([membership('o1', ['p2'])]);
    guard().send(tries(SETTINGS, { screen: 'organization', orgUuid: 'o1' }));
    guard().send({ type: 'leave.chosen' });
    go({ screen: 'organization', orgUuid: 'o1' });
    expect(guard().getSnapshot().context).toMatchObject({ stakes: [], lost: null });
    expect(workspace.getSnapshot().context.lost).toBeNull();
  });

  it('CON-04: a dialog goes on although the place behind it is gone', async () => {
    const { become, workspace } = await open(SETTINGS);
    workspace.send({ type: 'organization.create.requested' });
    const form = workspace.getSnapshot().children.organizationForm;
    form?.send({ type: 'field.changed', field: 'name', value: 'My own' });
    await become([membership('o2', ['p3'])]);
    expect(workspace.getSnapshot().context.lost).not.toBeNull();
    expect(form?.getSnapshot().context).toMatchObject({ lost: null, values: { name: 'My own' } });
  });

  it('a form of a page, as long as something else than what was there stands in it', async () => {
    const { guard, question, workspace, isBlocked } = await open(SETTINGS);
    await expect
      .poll(() => workspace.getSnapshot().children.projectSettings?.getSnapshot().children.detailsForm)
      .toBeDefined();
    const form = workspace.getSnapshot().children.projectSettings?.getSnapshot().children.detailsForm;
    form?.send({ type: 'field.changed', field: 'name', value: 'Talks 2' });
    expect(isBlocked()).toBe(true);
    guard().send(tries(SETTINGS, AWAY));
    expect(question()?.losses).toEqual(['What you typed is not saved.']);
    guard().send({ type: 'stay.chosen' });
    form?.send({ type: 'field.changed', field: 'name', value: 'Talks' });
    expect(isBlocked()).toBe(false);
  });

  it('signing out asks too, also about a dialog that no change of the screen closes', async () => {
    const { guard, question, workspace } = await open(AWAY);
    workspace.send({ type: 'project.create.requested' });
    workspace.getSnapshot().children.projectForm?.send({ type: 'field.changed', field: 'name', value: 'Half a name' });
    expect(guard().getSnapshot().can(tries(AWAY, SETTINGS))).toBe(false);
    workspace.send({ type: 'signOut.requested' });
    expect(question()).toEqual({
      title: 'Sign out now?',
      confirm: 'Sign out',
      losses: ['What you typed is not saved.'],
    });
  });

  it('nothing outside of the workspace asks', () => {
    const form = createActor(keyForm, { input: { about: { projectUuid: 'p1' } } }).start();
    form.send({ type: 'field.changed', field: 'name', value: 'CI' });
    expect(form.getSnapshot().status).toBe('active');
    form.stop();
  });
});

describe('CON-02: the last live transcript of a project', () => {
  it('is there again, with its settings, after another screen; a session that ran has ended', async () => {
    const { go, ready, words, say } = await open(PLAYGROUND);
    const live = await ready();
    live.send({ type: 'settings.changed', patch: { context: '{"text":"a talk"}' } });
    live.send({ type: 'run.requested' });
    say({ type: 'stream.opened' });
    say(token('Good'));
    say(token(' morning', false));
    go(AWAY);
    expect(live.getSnapshot().status).toBe('stopped');
    go(PLAYGROUND);
    expect(await words()).toEqual(['Good', ' morning', 'separator']);
    const again = await ready();
    expect(again.getSnapshot().context.settings.context).toBe('{"text":"a talk"}');
    expect(again.getSnapshot().hasTag('stopped')).toBe(true);
    expect(again.getSnapshot().can({ type: 'reset.requested' })).toBe(true);
    // Once more, and nothing is added.
    go(AWAY);
    go(PLAYGROUND);
    expect(await words()).toEqual(['Good', ' morning', 'separator']);
  });

  it('goes with a switch of the project, also through other screens', async () => {
    const { workspace, go, ready, words, say } = await open(PLAYGROUND);
    (await ready()).send({ type: 'run.requested' });
    say({ type: 'stream.opened' });
    say(token('Secret'));
    go(AWAY);
    expect(JSON.stringify(workspace.getSnapshot().context.savedPlayground)).toContain('Secret');
    go({ screen: 'project', orgUuid: 'o1', projectUuid: 'p2' });
    expect(workspace.getSnapshot().context.savedPlayground).toBeNull();
    go(PLAYGROUND);
    expect(await words()).toEqual([]);
  });

  it('and the settings of the REST API tab: there again after another screen, gone with a switch of the project', async () => {
    const tab: Route = { ...PLAYGROUND, mode: 'async' };
    const { go, ready, playground } = await open(tab);
    await ready();
    playground()?.send({ type: 'settings.changed', patch: { context: 'a talk', enable_speaker_diarization: false } });
    const settings = playground()?.getSnapshot().context.settings;
    go(AWAY);
    go(tab);
    await ready();
    expect(playground()?.getSnapshot().context).toMatchObject({ settings, asyncModelId: ASYNC.id });
    // Left before it was there again, nothing of it is lost.
    go(AWAY);
    go(tab);
    go(AWAY);
    go(tab);
    await ready();
    expect(playground()?.getSnapshot().context.settings.context).toBe('a talk');
    go(OTHER);
    await ready();
    expect(playground()?.getSnapshot().context.settings).toEqual(ASYNC_DEFAULTS);
    go(tab);
    await ready();
    expect(playground()?.getSnapshot().context.settings).toEqual(ASYNC_DEFAULTS);
  });

  it('is another one in another project', async () => {
    const { go, ready, words, say } = await open(PLAYGROUND);
    (await ready()).send({ type: 'run.requested' });
    say({ type: 'stream.opened' });
    say(token('Secret'));
    go(OTHER);
    expect(await words()).toEqual([]);
  });
});
