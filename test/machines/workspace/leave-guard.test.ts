// The leave guard with the real charts that have unsaved work.
import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor, type AnyActorRef } from 'xstate';
import { leaveGuardMachine } from '#machines/workspace/leaveGuard/machine.ts';
import { questionOf } from '#machines/workspace/leaveGuard/texts.ts';
import type { BlockerCommand } from '#machines/workspace/leaveGuard/actors.ts';
import { asyncMachine } from '#machines/playground/async/machine.ts';
import { liveMachine } from '#machines/playground/live/machine.ts';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { projectPeopleMachine } from '#machines/workspace/settings/projectPeople/machine.ts';
import type { ProjectPeople } from '#machines/workspace/settings/projectPeople/actors.ts';
import type { Place, PlaceDetails } from '#machines/workspace/settings/place/actors.ts';
import { projectSettings } from '#machines/workspace/settings/project.ts';
import type { Route } from '#machines/shared/route.ts';
import { ASYNC_DEFAULTS } from '#machines/playground/settings/types.ts';
import type { StreamNotice } from '#machines/playground/stream/machine.ts';
import { uploadMachine } from '#machines/playground/upload/machine.ts';
import type { MembershipsRead } from '#machines/workspace/actors.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { playgroundData, reading } from '../page.ts';
import { ann, membership } from '../people.ts';
import { ASYNC, playgroundRoute } from '../playground-fixtures.ts';
import { silenced } from '../silenced.ts';

const PLAYGROUND = playgroundRoute({ mode: 'real-time' });
const TAB = { ...PLAYGROUND, mode: 'async' as const };
const OTHER: Route = { ...PLAYGROUND, projectUuid: 'p2' };
const SETTINGS: Route = { screen: 'projectSettings', orgUuid: 'o1', projectUuid: 'p1' };
const ORGANIZATION: Route = { screen: 'organization', orgUuid: 'o1' };
const PROJECT_GONE = 'Project Project p1 was deleted, or you were removed from it.';
const AWAY: Route = { screen: 'members', orgUuid: 'o1' };
const FILE = { name: 'talk.wav', size: 10, type: 'audio/wav' };

/** A workspace whose sessions and uploads go on until the test ends them. */
async function open(route: Route) {
  let here = route;
  let memberships: MembershipsRead['memberships'] = ann.memberships;
  const released: BlockerCommand[] = [];
  const sentToApp: string[] = [];
  let isBlocked = false;
  let stream: (told: StreamNotice) => void = () => undefined;
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
      leaveGuard: silenced(leaveGuardMachine).provide({
        actors: {
          navigationBlocker: fromCallback(({ receive }) => {
            isBlocked = true;
            receive((command) => void released.push(command as BlockerCommand));
            return () => {
              isBlocked = false;
            };
          }),
        },
        actions: { sendToApp: (_, { type }) => void sentToApp.push(type) },
      }),
      playground: silenced(playgroundMachine, {
        loadPlayground: playgroundData(),
        async: silenced(asyncMachine, {
          library: silent as never,
          upload: silenced(uploadMachine, { uploadFile: silent as never }),
        }),
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
    const { leaveGuard } = workspace.getSnapshot().children;
    if (!leaveGuard) throw new Error('Nobody guards.');
    return leaveGuard;
  };
  const question = () => questionOf(guard().getSnapshot(), workspace.getSnapshot().context);
  const tried = (to: Route) => ({ type: 'departure.tried' as const, from: here, to });
  const go = (to: Route) => {
    here = to;
    workspace.send({ type: 'route.changed', route: to });
  };
  const playground = () => workspace.getSnapshot().children.playground;
  const asyncSide = () => playground()?.getSnapshot().children.async;
  const ready = async () => {
    await expect.poll(() => playground()?.getSnapshot().matches('ready')).toBe(true);
    const child = playground()?.getSnapshot().children.live;
    if (!child) throw new Error('No live side.');
    return child;
  };
  const form = () => workspace.getSnapshot().children.projectSettings?.getSnapshot().children.detailsForm;
  return {
    workspace,
    guard,
    sentToApp,
    question,
    consequences: () => question()?.consequences,
    /** What the server says the memberships are now. */
    become: async (now: MembershipsRead['memberships']) => {
      memberships = now;
      workspace.send({ type: 'memberships.outdated' });
      await waitFor(workspace, (snapshot) => snapshot.matches({ ready: { memberships: 'known' } }));
    },
    go,
    /** Tries to go there; what is asked then is the question. */
    tryTo: (to: Route) => guard().send(tried(to)),
    isAsked: (to: Route) => guard().getSnapshot().can(tried(to)),
    stay: () => guard().send({ type: 'stay.chosen' }),
    leave: (to: Route) => {
      guard().send({ type: 'leave.chosen' });
      go(to);
    },
    isMissing: () =>
      ['projectMissing', 'organizationMissing'].some((tag) => workspace.getSnapshot().hasTag(tag as never)),
    asyncSide,
    ready,
    /** A live session that runs, and has heard the words; one that ends with `…` is not final. */
    record: async (...heard: string[]) => {
      const child = await ready();
      child.send({ type: 'run.requested' });
      stream({ type: 'stream.opened' });
      for (const text of heard)
        stream({
          type: 'tokens.received',
          tokens: [{ text: text.replace('…', ''), is_final: !text.endsWith('…') }],
        });
      return child;
    },
    words: async () =>
      (await ready())
        .getSnapshot()
        .children.transcript?.getSnapshot()
        .context.tail.map(({ text, boundary }) => boundary ?? text),
    form,
    type: async (value: string) => {
      await expect.poll(form).toBeDefined();
      form()?.send({ type: 'field.changed', field: 'name', value });
    },
    isBlocked: () => isBlocked,
    released,
  };
}

const ENDS_KEPT = 'The live session ends. Its text stays in the playground.';
const ENDS_LOST = 'The live session ends. Its text is lost.';
const UNSAVED = 'What you typed is not saved.';

describe('CON-01: unsaved work registers itself with the leave guard', () => {
  it('a live session, as long as it runs', async () => {
    const { guard, question, consequences, ready, isBlocked, released, go, tryTo, isAsked, stay } =
      await open(PLAYGROUND);
    const live = await ready();
    expect(isBlocked()).toBe(false);
    live.send({ type: 'run.requested' });
    expect(isBlocked()).toBe(true);
    expect(isAsked({ ...PLAYGROUND, panel: 'history', show: 'original' })).toBe(false);
    tryTo(AWAY);
    expect(question()).toEqual({ title: 'Leave this page?', confirm: 'Leave', consequences: [ENDS_KEPT] });
    stay();
    expect(guard().getSnapshot().hasTag('asking')).toBe(false);
    expect(released).toEqual([]);
    tryTo(OTHER);
    expect(consequences()).toEqual([ENDS_LOST]);
    guard().send({ type: 'leave.chosen' });
    expect(released).toEqual([{ type: 'departure.released' }]);
    // On the way nobody is asked again.
    expect(isAsked(AWAY)).toBe(false);
    go(OTHER);
    expect(isBlocked()).toBe(false);
  });

  it.each<[string, Route]>([
    ['the tab of the REST API', TAB],
    ['a file', { ...TAB, fileId: 'f1' }],
    ['a transcription', { ...TAB, transcriptionId: 't1' }],
  ])('a live session, on the way to %s of its own playground: it stops only when that was asked', async (_name, to) => {
    const { question, record, released, tryTo, isAsked, stay, leave } = await open(PLAYGROUND);
    const live = await record();
    tryTo(to);
    expect(question()).toEqual({ title: 'Leave the WebSocket API tab?', confirm: 'Leave', consequences: [ENDS_KEPT] });
    stay();
    expect(live.getSnapshot().hasTag('running')).toBe(true);
    tryTo(to);
    leave(to);
    expect(released).toEqual([{ type: 'departure.released' }]);
    // The session that is finishing has been asked about.
    expect([{ ...TAB, fileId: 'f2' }, PLAYGROUND, AWAY].map(isAsked)).toEqual([false, false, true]);
  });

  it('an upload goes on behind the tabs, and is not among what they lose', async () => {
    const { consequences, record, asyncSide, tryTo } = await open(PLAYGROUND);
    const live = await record();
    asyncSide()?.getSnapshot().children.upload?.send({ type: 'file.chosen', file: FILE });
    tryTo(TAB);
    expect(consequences()).toEqual([ENDS_KEPT]);
    live.send({ type: 'cancel.requested' });
    tryTo(AWAY);
    expect(consequences()).toContain('The upload stops, and the file is not saved.');
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
    const { consequences, workspace, record, tryTo, leave } = await open(PLAYGROUND);
    await record('Good');
    tryTo(to);
    expect(consequences()).toEqual([isKept ? ENDS_KEPT : ENDS_LOST]);
    leave(to);
    expect(workspace.getSnapshot().context.savedPlayground === null).toBe(!isKept);
  });

  it('CON-02: home, which is in another organization, does not keep the text', async () => {
    const { consequences, record, tryTo } = await open({ ...PLAYGROUND, orgUuid: 'o2', projectUuid: 'p3' });
    await record();
    tryTo({ screen: 'home' });
    expect(consequences()).toEqual([ENDS_LOST]);
  });

  it.each<[string, MembershipsRead['memberships'], Route, string]>([
    ['project', [membership('o1', ['p2']), membership('o2', ['p3'])], ORGANIZATION, PROJECT_GONE],
    [
      'organization',
      [membership('o2', ['p3'])],
      { screen: 'organization', orgUuid: 'o2' },
      'Organization Organization o1 was deleted, or you were removed from it.',
    ],
  ])(
    'CON-02 UXP-113: where the %s is gone says that the text goes too, and whoever stays keeps it until they leave',
    async (_name, left, fallback, reason) => {
      const { consequences, become, workspace, record, words, go, tryTo, stay, leave, isMissing } =
        await open(PLAYGROUND);
      const live = await record('Good');
      await become(left);
      tryTo(fallback);
      expect(consequences()).toEqual([
        reason,
        'The live session ends. Its text is lost, because the project is gone. Stay to copy or download the text first.',
      ]);
      stay();
      expect(live.getSnapshot().context.removalReason).toBe(reason);
      // Neither the next news nor another way of showing the text takes the page away.
      await become([...left, membership('o3', [])]);
      const { palette } = workspace.getSnapshot().children;
      palette?.send({ type: 'palette.requested' });
      go({ ...PLAYGROUND, show: 'original' });
      expect(palette?.getSnapshot().hasTag('paletteOpen')).toBe(false);
      await become(left);
      expect([isMissing(), live.getSnapshot().hasTag('running'), await words()]).toEqual([false, true, ['Good']]);
      // There again, as for who was taken out by mistake, a session can begin.
      await become(ann.memberships);
      expect(live.getSnapshot().context.removalReason).toBeNull();
      await become(left);
      tryTo(fallback);
      leave(fallback);
      expect(live.getSnapshot().status).toBe('stopped');
      expect(workspace.getSnapshot().context.savedPlayground).toBeNull();
      go(PLAYGROUND);
      expect(isMissing()).toBe(true);
    },
  );

  it('ERR-10: what loading the page anew would lose, also where only the text of an ended session is there', async () => {
    const { workspace, guard, sentToApp, question, consequences, record, tryTo, stay, leave } = await open(PLAYGROUND);
    const reload = () => workspace.send({ type: 'reload.requested' });
    reload();
    expect([question(), sentToApp]).toEqual([null, ['reload.confirmed']]);
    await record('Good');
    reload();
    expect(question()).toEqual({ title: 'Load the new version now?', confirm: 'Load it', consequences: [ENDS_LOST] });
    stay();
    tryTo(AWAY);
    leave(AWAY);
    reload();
    expect(consequences()).toEqual(["The live transcript isn't kept and will be lost. Stay to copy or keep it first."]);
    stay();
    expect([question(), sentToApp]).toEqual([null, ['reload.confirmed']]);
    reload();
    guard().send({ type: 'leave.chosen' });
    expect([question(), sentToApp]).toEqual([null, ['reload.confirmed', 'reload.confirmed']]);
  });

  it('an upload, as long as it goes out; a question about nothing is withdrawn', async () => {
    const { guard, consequences, ready, asyncSide, isBlocked, tryTo } = await open(TAB);
    await ready();
    asyncSide()?.getSnapshot().children.upload?.send({ type: 'file.chosen', file: FILE });
    expect(isBlocked()).toBe(true);
    tryTo(AWAY);
    expect(consequences()).toEqual(['The upload stops, and the file is not saved.']);
    asyncSide()?.getSnapshot().children.upload?.send({ type: 'cancel.requested' });
    expect([guard().getSnapshot().hasTag('asking'), isBlocked()]).toEqual([false, false]);
  });

  it('CON-30: a question about a form stays while what the form began with is read again', async () => {
    const { consequences, question, form, type, tryTo } = await open(SETTINGS);
    await type('Half a name');
    tryTo(AWAY);
    expect(consequences()).toEqual([UNSAVED]);
    form()?.send({ type: 'source.changed', initial: { name: 'Talks, renamed' } });
    expect(consequences()).toEqual([UNSAVED]);
    // Nothing is lost where the same has been saved elsewhere.
    form()?.send({ type: 'source.changed', initial: { name: 'Half a name' } });
    expect(question()).toBeNull();
  });

  it('ORG-03: a question about a form that is on its way stays where the server refuses it', async () => {
    const { consequences, form, type, tryTo } = await open(SETTINGS);
    await type('Half a name');
    form()?.send({ type: 'submit.requested' });
    tryTo(AWAY);
    await expect.poll(() => form()?.getSnapshot().context.refusal).not.toBeNull();
    expect(consequences()).toEqual([UNSAVED]);
  });

  it('CON-04: a form whose project is gone is told so, sends nothing more, and the question says which project', async () => {
    const { guard, consequences, become, workspace, form, type, tryTo, stay, leave } = await open(SETTINGS);
    await type('Half a name');
    await become([membership('o1', ['p2']), membership('o2', ['p3'])]);
    tryTo(ORGANIZATION);
    expect(consequences()).toEqual([PROJECT_GONE, 'What you typed can no longer be saved. Stay to copy it first.']);
    stay();
    form()?.send({ type: 'submit.requested' });
    expect(form()?.getSnapshot().context).toMatchObject({ detached: PROJECT_GONE, values: { name: 'Half a name' } });
    expect(form()?.getSnapshot().hasTag('submitting')).toBe(false);
    // Later news are not about it.
    await become([membership('o1', ['p2']), membership('o2', [])]);
    expect(form()?.getSnapshot().context.detached).toBe(PROJECT_GONE);
    // Where it is there again, as for who was taken out by mistake, the form goes on.
    await become(ann.memberships);
    expect(form()?.getSnapshot().context).toMatchObject({ detached: null, values: { name: 'Half a name' } });
    await become([membership('o1', ['p2'])]);
    tryTo(ORGANIZATION);
    leave(ORGANIZATION);
    expect(guard().getSnapshot().context).toMatchObject({ unsavedWork: [], removalReason: null });
    expect(workspace.getSnapshot().context.removalReason).toBeNull();
  });

  it('CON-04: a dialog goes on although the place behind it is gone', async () => {
    const { become, workspace } = await open(SETTINGS);
    workspace.send({ type: 'organization.create.requested' });
    const dialog = workspace.getSnapshot().children.organizationForm;
    dialog?.send({ type: 'field.changed', field: 'name', value: 'My own' });
    await become([membership('o2', ['p3'])]);
    expect(workspace.getSnapshot().context.removalReason).not.toBeNull();
    expect(dialog?.getSnapshot().context).toMatchObject({ detached: null, values: { name: 'My own' } });
  });

  it('a form of a page, as long as something else than what was there stands in it', async () => {
    const { consequences, type, isBlocked, tryTo, stay } = await open(SETTINGS);
    await type('Talks 2');
    expect(isBlocked()).toBe(true);
    tryTo(AWAY);
    expect(consequences()).toEqual([UNSAVED]);
    stay();
    await type('Talks');
    expect(isBlocked()).toBe(false);
  });

  it('signing out asks too, also about a dialog that no change of the screen closes', async () => {
    const { question, workspace, isAsked } = await open(AWAY);
    workspace.send({ type: 'project.create.requested' });
    workspace.getSnapshot().children.projectForm?.send({ type: 'field.changed', field: 'name', value: 'Half a name' });
    expect(isAsked(SETTINGS)).toBe(false);
    workspace.send({ type: 'signOut.requested' });
    expect(question()).toEqual({ title: 'Sign out now?', confirm: 'Sign out', consequences: [UNSAVED] });
  });
});

describe('CON-02: the last live transcript of a project', () => {
  it('is there again, with its settings, after another screen; a session that ran has ended', async () => {
    const { go, ready, record, words } = await open(PLAYGROUND);
    (await ready()).send({ type: 'settings.changed', patch: { context: '{"text":"a talk"}' } });
    const live = await record('Good', ' morning…');
    go(AWAY);
    expect(live.getSnapshot().status).toBe('stopped');
    go(PLAYGROUND);
    expect(await words()).toEqual(['Good', ' morning', 'separator']);
    const again = (await ready()).getSnapshot();
    expect(again.context.settings.context).toBe('{"text":"a talk"}');
    expect([again.hasTag('stopped'), again.can({ type: 'reset.requested' })]).toEqual([true, true]);
    // Once more, and nothing is added.
    go(AWAY);
    go(PLAYGROUND);
    expect(await words()).toEqual(['Good', ' morning', 'separator']);
  });

  it('goes with a switch of the project, also through other screens', async () => {
    const { workspace, go, record, words } = await open(PLAYGROUND);
    await record('Secret');
    go(AWAY);
    expect(JSON.stringify(workspace.getSnapshot().context.savedPlayground)).toContain('Secret');
    go({ screen: 'project', orgUuid: 'o1', projectUuid: 'p2' });
    expect(workspace.getSnapshot().context.savedPlayground).toBeNull();
    go(PLAYGROUND);
    expect(await words()).toEqual([]);
  });

  it('is another one in another project', async () => {
    const { go, record, words } = await open(PLAYGROUND);
    await record('Secret');
    go(OTHER);
    expect(await words()).toEqual([]);
  });

  it('and the settings of the REST API tab: there again after another screen, gone with a switch of the project', async () => {
    const { go, ready, asyncSide } = await open(TAB);
    const settingsAt = async (...routes: Route[]) => {
      routes.forEach(go);
      await ready();
      return asyncSide()?.getSnapshot().context.settings;
    };
    await ready();
    asyncSide()?.send({ type: 'settings.changed', patch: { context: 'a talk', enable_speaker_diarization: false } });
    const settings = asyncSide()?.getSnapshot().context.settings;
    expect(settings?.context).toBe('a talk');
    expect(await settingsAt(AWAY, TAB)).toEqual(settings);
    expect(asyncSide()?.getSnapshot().context.modelId).toBe(ASYNC.id);
    // Left before it was there again, nothing of it is lost.
    expect(await settingsAt(AWAY, TAB, AWAY, TAB)).toEqual(settings);
    expect(await settingsAt(OTHER)).toEqual(ASYNC_DEFAULTS);
    expect(await settingsAt(TAB)).toEqual(ASYNC_DEFAULTS);
  });
});
