import { describe, expect, it, vi } from 'vitest';
import { fromCallback, fromPromise, waitFor } from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import type { ProjectLimits } from '#contract/limits.ts';
import type { LogDetails } from '#contract/logs.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { FileToRead, OpenedFile } from '#machines/playground/async/actors.ts';
import { asyncMachine } from '#machines/playground/async/machine.ts';
import { libraryMachine } from '#machines/playground/library/machine.ts';
import { filesMachine, transcriptionsMachine } from '#machines/playground/lists.ts';
import { listSyncMachine } from '#machines/playground/listSync/machine.ts';
import { liveMachine } from '#machines/playground/live/machine.ts';
import { loggedRequestMachine } from '#machines/playground/loggedRequest/machine.ts';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { savedOf } from '#machines/playground/saved.ts';
import type { SavedPlayground } from '#machines/playground/types.ts';
import { playerMachine } from '#machines/playground/player/machine.ts';
import { sidePanelMachine } from '#machines/playground/sidePanel/machine.ts';
import { transcriptionMachine } from '#machines/playground/transcription/machine.ts';
import { usageHintMachine } from '#machines/playground/usageHint/machine.ts';
import type { ListPage, PageRequest } from '#machines/shared/pagedList/actors.ts';
import type { PlaygroundRoute } from '#machines/shared/route.ts';
import { playgroundData } from '../page.ts';
import { logDetails, logRequest } from '../logged.ts';
import { MODELS, playgroundRoute as route, storedFile, transcription, underParent } from '../playground-fixtures.ts';
import { projectLimit as limit } from '../limits.ts';
import { silenced } from '../silenced.ts';

const silent = fromCallback(() => undefined) as never;
const noItems = <Item>() => fromPromise<ListPage<Item>, PageRequest>(async () => ({ items: [], nextCursor: null }));

/** The playground with a server that has no files; `use` is what of the limits is used. */
async function playground(
  changes: Partial<PlaygroundRoute> = {},
  use: () => Promise<ProjectLimits> = async () => ({ limits: [], is_balance_exhausted: false }),
  log: () => Promise<LogDetails> = async () => logDetails(),
  saved: SavedPlayground | null = null,
) {
  const read = vi.fn<(id: string) => void>();
  const machine = silenced(playgroundMachine, {
    loadPlayground: playgroundData(() => ({ models: MODELS })),
    async: silenced(asyncMachine, {
      readFile: fromPromise<OpenedFile, FileToRead>(async ({ input: { fileId } }) => ({
        file: storedFile({ id: fileId }),
        url: `/${fileId}`,
      })),
      library: silenced(libraryMachine, {
        files: silenced(filesMachine, { fetchPage: noItems<StoredFile>() }),
        transcriptions: silenced(transcriptionsMachine, { fetchPage: noItems<Transcription>() }),
        listSync: listSyncMachine.provide({
          actors: {
            readListed: fromPromise(async ({ input: { id } }) => {
              read(id);
              return null;
            }),
          },
        }),
      }),
      player: silenced(playerMachine, { sound: silent }),
      transcription: silenced(transcriptionMachine, {
        fetchTranscription: fromPromise<Transcription, { id: string }>(async ({ input: { id } }) =>
          transcription({ id }),
        ),
      }),
    }),
    live: silenced(liveMachine),
    sidePanel: silenced(sidePanelMachine, { viewport: silent }),
    loggedRequest: loggedRequestMachine.provide({ actors: { loadLog: fromPromise(log) } }),
    usageHint: usageHintMachine.provide({ actors: { readUse: fromPromise(use) }, delays: { pause: 0 } }),
  });
  const under = underParent(machine, {
    orgUuid: 'o1',
    projectUuid: 'p1',
    route: route(changes),
    featureFlags: [],
    browserLanguages: ['en-GB'],
    saved,
  });
  const actor = under.child;
  await waitFor(actor, (snapshot) => snapshot.matches('ready'));
  const at = () => actor.getSnapshot();
  return {
    actor,
    at,
    child: () => at().children,
    goTo: (to: Partial<PlaygroundRoute> = {}) => actor.send({ type: 'route.changed', route: route(to) }),
    told: under.told,
    navigations: () => under.told.filter(({ type }) => type === 'navigate.requested'),
    read,
  };
}

describe('the playground', () => {
  it('ASY-01: a tab asks for its address, replacing the entry; the route decides', async () => {
    const { actor, navigations, at, goTo } = await playground({ fileId: 'f1' });
    actor.send({ type: 'mode.selected', mode: 'async' });
    expect(navigations()).toEqual([]);
    actor.send({ type: 'mode.selected', mode: 'real-time' });
    expect(navigations()).toEqual([
      { type: 'navigate.requested', to: route({ mode: 'real-time', fileId: 'f1' }), replace: true },
    ]);
    expect(at().hasTag('async')).toBe(true);
    goTo({ mode: 'real-time', fileId: 'f1' });
    expect(at().hasTag('realTime')).toBe(true);
    expect((await playground({ mode: 'real-time' })).at().hasTag('realTime')).toBe(true);
  });
  it('ASY-20: settings to be corrected unfold the panel, in narrow windows and in wide ones', async () => {
    const { child, told } = await playground({ transcriptionId: 't1' });
    const unfolded = () => told.filter(({ type }) => type === 'panel.unfold.requested').length;
    const correct = () =>
      child().async?.send({ type: 'request.reused', transcription: transcription({ status: 'error' }) });
    expect(unfolded()).toBe(0);
    correct();
    expect(unfolded()).toBe(1);
    const sidePanel = child().sidePanel!;
    sidePanel.send({ type: 'viewport.narrowed' });
    expect(sidePanel.getSnapshot().hasTag('folded')).toBe(true);
    correct();
    expect(sidePanel.getSnapshot().hasTag('folded')).toBe(false);
    expect(unfolded()).toBe(1);
  });
  it.each([
    ['async', 'async', 'async-alias', 'async-1'],
    ['real_time', 'real-time', 'rt-alias', 'rt-1'],
  ] as const)('LOG-15: the settings of a request of the logs go to the side of its kind: %s', async (...of) => {
    const [kind, mode, model, modelId] = of;
    const request = logRequest({ model, language_hints: ['de'] });
    const { child, told, navigations, goTo, actor } = await playground({ mode, log: 'r1' }, undefined, async () =>
      logDetails({ kind, error_type: 'model_not_available', request }),
    );
    const side = () => (kind === 'async' ? child().async : child().live)?.getSnapshot().context;
    await vi.waitFor(() => expect(child().loggedRequest?.getSnapshot().hasTag('shown')).toBe(true));
    expect(side()).toMatchObject({
      modelId,
      settings: kind === 'async' ? { language_hints: ['de'] } : { languageHints: ['de'] },
    });
    const plain = [{ type: 'navigate.requested', to: route({ mode }), replace: true }];
    expect(navigations()).toEqual([]);
    // What a new try tells is newer; so the request goes, as it does when the person has seen enough.
    actor.send({ type: 'use.changed' });
    expect(navigations()).toEqual(plain);
    told.splice(0);
    actor.send({ type: 'request.dismissed' });
    expect(navigations()).toEqual(plain);
    goTo({ mode });
    expect(child().loggedRequest?.getSnapshot().context.details).toBeNull();
    actor.send({ type: 'use.changed' });
    expect(navigations()).toEqual(plain);
  });
  it.each(['async', 'real_time'] as const)(
    'CON-02 LOG-15: what is corrected stays when one comes back to the same request, not to another: %s',
    async (kind) => {
      const open = async (id: string, saved: SavedPlayground | null = null) => {
        const mode = kind === 'async' ? 'async' : 'real-time';
        const request = logRequest({ model: null, language_hints: ['de'] });
        const log = async () => logDetails({ id, kind, error_type: 'model_not_available', request });
        const { child, at } = await playground({ mode, log: id }, undefined, log, saved);
        await vi.waitFor(() => expect(child().loggedRequest?.getSnapshot().hasTag('shown')).toBe(true));
        const hints = () =>
          kind === 'async'
            ? child().async?.getSnapshot().context.settings.language_hints
            : child().live?.getSnapshot().context.settings.languageHints;
        return { child, hints, left: () => savedOf(at()) };
      };
      const { child, hints, left } = await open('r1');
      expect(hints()).toEqual(['de']);
      child().async?.send({ type: 'settings.changed', patch: { language_hints: ['en'] } });
      child().live?.send({ type: 'settings.changed', patch: { languageHints: ['en'] } });
      expect((await open('r1', left())).hints()).toEqual(['en']);
      expect((await open('r2', left())).hints()).toEqual(['de']);
    },
  );
  it('LOG-15: a file keeps the request beside it, a transcription does not', async () => {
    const { child, navigations } = await playground({ log: 'r1' });
    child().async?.send({ type: 'file.uploaded', file: storedFile() });
    expect(navigations().at(-1)).toEqual({ type: 'navigate.requested', to: route({ fileId: 'f1', log: 'r1' }) });
    await vi.waitFor(() => expect(child().async?.getSnapshot().matches({ file: 'loaded' })).toBe(true));
    child().async?.send({ type: 'transcribe.requested' });
    child().async?.send({ type: 'transcription.created', transcription: transcription({ id: 't9' }) });
    expect(navigations().at(-1)).toEqual({ type: 'navigate.requested', to: route({ transcriptionId: 't9' }) });
  });
  it('ASY-04 NAV-07: the panel and how transcripts are shown stand in the address, which has the last word', async () => {
    const { navigations, child, goTo } = await playground({
      transcriptionId: 't1',
      show: 'original',
      panel: 'settings',
    });
    const panel = () => (child().async?.getSnapshot().hasTag('history') ? 'history' : 'settings');
    const displayed = () => child().reader?.getSnapshot().children.display;
    const display = () => displayed()?.getSnapshot().context;
    expect(panel()).toBe('settings');
    expect(display()).toEqual({ option: 'original', isSplit: null });
    displayed()?.send({ type: 'split.chosen', isSplit: true });
    expect(navigations().at(-1)).toEqual({
      type: 'navigate.requested',
      to: route({ transcriptionId: 't1', show: 'original', panel: 'settings', lines: true }),
      replace: true,
    });
    child().async?.send({ type: 'panel.selected', panel: 'history' });
    expect(navigations().at(-1)).toMatchObject({ to: { panel: 'history', transcriptionId: 't1' }, replace: true });
    goTo({ transcriptionId: 't1', panel: 'settings', lines: false });
    expect(panel()).toBe('settings');
    expect(display()).toEqual({ option: 'everything', isSplit: false });
    child().async?.send({ type: 'file.removed.requested' });
    expect(navigations().at(-1)).toEqual({ type: 'navigate.requested', to: route({ lines: false }) });
  });
  it('ASY-19 LVP-06: what others do, and a live session that was saved, reach the lists', async () => {
    const { actor, child, read } = await playground({ mode: 'real-time' });
    const lists = () => child().async?.getSnapshot().children.library?.getSnapshot().children;
    actor.send({ type: 'session.saved', transcription: transcription({ id: 't9' }) });
    expect(lists()?.transcriptions?.getSnapshot().context.items).toMatchObject([{ id: 't9' }]);
    actor.send({ type: 'push.received', event: { type: 'file.created', project_uuid: 'p1', file_id: 'f9' } });
    await vi.waitFor(() => expect(read).toHaveBeenCalledWith('f9'));
  });
});

it('EST-06: that the balance is used up is told no longer once money came; nothing begins meanwhile', async () => {
  const use = vi.fn<() => Promise<ProjectLimits>>();
  for (const is_balance_exhausted of [true, false]) use.mockResolvedValueOnce({ limits: [], is_balance_exhausted });
  const { actor, child } = await playground({ fileId: 'f1' }, use);
  await vi.waitFor(() => expect(child().async?.getSnapshot().matches({ file: 'loaded' })).toBe(true));
  actor.send({ type: 'route.changed', route: route({ mode: 'real-time', fileId: 'f1' }) });
  const seen = () => ({
    isExhausted: child().usageHint?.getSnapshot().context.isExhausted,
    canTranscribe: child().async?.getSnapshot().can({ type: 'transcribe.requested' }),
    canRun: child().live?.getSnapshot().can({ type: 'run.requested' }),
  });
  await vi.waitFor(() => expect(seen()).toEqual({ isExhausted: true, canTranscribe: false, canRun: false }));
  actor.send({ type: 'push.received', event: { type: 'billing.changed', organization_uuid: 'o1' } });
  await vi.waitFor(() => expect(seen()).toEqual({ isExhausted: false, canTranscribe: true, canRun: true }));
});

it('EST-06: a failed reading leaves what is known of the balance', async () => {
  const use = vi.fn<() => Promise<ProjectLimits>>();
  use.mockResolvedValueOnce({ limits: [limit('audio_minutes')], is_balance_exhausted: true });
  use.mockRejectedValueOnce(new Error('No network.'));
  const { actor, child } = await playground({ mode: 'real-time' }, use);
  const usageHint = child().usageHint!;
  const seen = () =>
    [usageHint.getSnapshot().context, child().live?.getSnapshot().context].map((of) => of?.isExhausted);
  await vi.waitFor(() => expect(seen()).toEqual([true, true]));
  actor.send({ type: 'push.received', event: { type: 'billing.changed', organization_uuid: 'o1' } });
  await vi.waitFor(() => expect(usageHint.getSnapshot().context.limits).toEqual([]));
  expect(seen()).toEqual([true, true]);
});

it('EST-04: what happens while the use is read is read once more, and nothing else is', async () => {
  let answer: (use: ProjectLimits) => void = () => undefined;
  const use = vi.fn(() => new Promise<ProjectLimits>((resolve) => (answer = resolve)));
  const { child } = await playground({}, use);
  const usageHint = child().usageHint!;
  usageHint.send({ type: 'use.changed' });
  answer({ limits: [], is_balance_exhausted: false });
  await waitFor(usageHint, (snapshot) => snapshot.matches('due'));
  await waitFor(usageHint, (snapshot) => snapshot.matches('reading'));
  answer({ limits: [], is_balance_exhausted: false });
  await waitFor(usageHint, (snapshot) => snapshot.matches('resting'));
  expect(use).toHaveBeenCalledTimes(2);
});
