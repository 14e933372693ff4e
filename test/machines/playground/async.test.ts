import { describe, expect, it, vi } from 'vitest';
import { fromCallback, fromPromise, waitFor, type AnyEventObject } from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { ListPage, PageRequest } from '#machines/shared/pagedList/actors.ts';
import type { FileToRead, OpenedFile } from '#machines/playground/async/actors.ts';
import { asyncMachine } from '#machines/playground/async/machine.ts';
import { libraryMachine } from '#machines/playground/library/machine.ts';
import { playerMachine } from '#machines/playground/player/machine.ts';
import { filesMachine, transcriptionsMachine } from '#machines/playground/lists.ts';
import { removalMachine, type RemovalItem } from '#machines/playground/removal/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { PlaygroundRoute } from '#machines/shared/route.ts';
import { transcriptionMachine } from '#machines/playground/transcription/machine.ts';
import { uploadMachine } from '#machines/playground/upload/machine.ts';
import {
  MODELS,
  playgroundRoute as route,
  storedFile,
  toastsIn,
  transcription,
  underParent,
} from '../playground-fixtures.ts';
import { silenced } from '../silenced.ts';

const page = <Item>(items: Item[]) =>
  fromPromise<ListPage<Item>, PageRequest>(async () => ({ items, nextCursor: null }));

/** The async side with a server of one file and two transcriptions; `server` may refuse. */
async function asyncSide(
  changes: Partial<PlaygroundRoute> = {},
  server: {
    remove?: () => Promise<void>;
    create?: () => Promise<Transcription>;
    read?: () => Promise<OpenedFile>;
    judge?: () => Promise<boolean>;
    look?: (id: string) => Transcription;
  } = {},
) {
  const created = vi.fn();
  let upload: (event: AnyEventObject) => void = () => undefined;
  const machine = silenced(asyncMachine, {
    readFile: fromPromise<OpenedFile, FileToRead>(async ({ input: { fileId, file } }) =>
      server.read
        ? server.read()
        : { file: file ?? storedFile({ id: fileId, filename: 'read.wav' }), url: `/${fileId}` },
    ),
    library: silenced(libraryMachine, {
      files: silenced(filesMachine, { fetchPage: page<StoredFile>([storedFile()]) }),
      transcriptions: silenced(transcriptionsMachine, {
        fetchPage: page<Transcription>([transcription(), transcription({ id: 't2' })]),
      }),
      removal: silenced(removalMachine).provide({ actors: { removeItem: fromPromise(async () => server.remove?.()) } }),
    }),
    probeRecording: fromPromise<boolean, { url: string }>(async () => (server.judge ? server.judge() : true)),
    player: silenced(playerMachine, { sound: fromCallback(() => undefined) as never }),
    upload: silenced(uploadMachine).provide({
      actors: {
        uploadFile: fromCallback(({ sendBack }) => {
          upload = sendBack;
        }),
      },
    }),
    transcription: silenced(transcriptionMachine).provide({
      actors: {
        createTranscription: fromPromise(async ({ input }) => {
          created(input);
          return server.create ? server.create() : transcription({ id: 't9' });
        }),
        fetchTranscription: fromPromise<Transcription, { id: string }>(async ({ input: { id } }) => {
          if (id === 'gone') throw new Error('gone');
          return server.look?.(id) ?? transcription({ id });
        }),
      },
    }),
  });
  const under = underParent(machine, {
    orgUuid: 'o1',
    projectUuid: 'p1',
    route: route(changes),
    models: MODELS,
    maxUploadBytes: 100,
  });
  const actor = under.child;
  const navigations = () => under.told.filter(({ type }) => type === 'navigate.requested');
  const child = () => actor.getSnapshot().children;
  const library = () => child().library!.getSnapshot().children;
  const listed = () =>
    library()
      .transcriptions?.getSnapshot()
      .context.items.map(({ id }) => id);
  await vi.waitFor(() => expect(listed()).toHaveLength(2));
  const at = () => actor.getSnapshot();
  return {
    ...under,
    actor,
    at,
    can: (type: 'transcribe.requested' | 'file.removed.requested') => at().can({ type }),
    goTo: (to: Partial<PlaygroundRoute> = {}) => actor.send({ type: 'route.changed', route: route(to) }),
    loaded: () => waitFor(actor, (snapshot) => snapshot.matches({ file: 'loaded' })),
    until: (tag: 'refused' | 'transcribing' | 'fileFailed') => waitFor(actor, (snapshot) => snapshot.hasTag(tag)),
    panel: () => (at().matches({ panel: 'history' }) ? 'history' : 'settings'),
    navigations,
    child,
    library,
    listed,
    created,
    upload: (event: AnyEventObject) => upload(event),
    /** Asks for the removal of an item, and confirms it. */
    remove: (item: RemovalItem) => {
      library().removal?.send({ type: 'removal.requested', item });
      library().removal?.send({ type: 'removal.confirmed' });
    },
  };
}

describe('the async side of the playground', () => {
  it('ASY-03: a transcription goes on top, opens its page and History, and survives the way there', async () => {
    const { actor, navigations, child, listed, created, at, goTo, loaded, panel } = await asyncSide({ fileId: 'f1' });
    await loaded();
    actor.send({ type: 'transcribe.requested' });
    await vi.waitFor(() => expect(listed()).toEqual(['t9', 't1', 't2']));
    expect(created).toHaveBeenCalledExactlyOnceWith({
      create: expect.objectContaining({ model: 'async-1', file_id: 'f1' }),
    });
    expect(navigations()).toEqual([{ type: 'navigate.requested', to: route({ transcriptionId: 't9' }) }]);
    expect(panel()).toBe('history');
    const before = child().transcription;
    goTo({ transcriptionId: 't9' });
    expect(child().transcription).toBe(before);
    expect(at().matches({ file: 'loaded' })).toBe(true);
    goTo({ transcriptionId: 't1' });
    expect(child().transcription).not.toBe(before);
  });
  it('ONB-05: a sample that was chosen is set up, opened, and transcribed as soon as it can be', async () => {
    const { actor, navigations, created, at, goTo } = await asyncSide();
    actor.send({ type: 'sample.added', name: 'meeting-notes', file: storedFile({ id: 'f7' }) });
    expect(navigations()).toEqual([{ type: 'navigate.requested', to: route({ fileId: 'f7' }) }]);
    expect(at().context.settings.enable_speaker_diarization).toBe(true);
    expect(created).not.toHaveBeenCalled();
    goTo({ fileId: 'f7' });
    await vi.waitFor(() =>
      expect(created).toHaveBeenCalledExactlyOnceWith({
        create: expect.objectContaining({ file_id: 'f7', enable_speaker_diarization: true }),
      }),
    );
  });
  it('ONB-05: a sample whose file is there before its address is transcribed all the same, once', async () => {
    const { actor, child, created, goTo } = await asyncSide({}, { create: () => new Promise(() => {}) });
    actor.send({ type: 'sample.added', name: 'dictation', file: storedFile({ id: 'f7' }) });
    await waitFor(actor, (snapshot) => snapshot.hasTag('creating'));
    const before = child().transcription;
    goTo({ fileId: 'f7' });
    expect(created).toHaveBeenCalledOnce();
    expect(child().transcription).toBe(before);
  });
  it('ONB-05: a sample that was left before it came is not transcribed when it is opened later', async () => {
    const { actor, created, goTo, loaded } = await asyncSide();
    actor.send({ type: 'sample.added', name: 'dictation', file: storedFile({ id: 'f7' }) });
    goTo({ fileId: 'f1' });
    await loaded();
    goTo({ fileId: 'f7' });
    await loaded();
    expect(created).not.toHaveBeenCalled();
  });
  it('ONB-05: a sample that could not be read is transcribed after Reload', async () => {
    const read = vi
      .fn<() => Promise<OpenedFile>>()
      .mockRejectedValueOnce(new Error('gone'))
      .mockResolvedValue({ file: storedFile({ id: 'f7' }), url: '/f7' });
    const { actor, created, goTo, until } = await asyncSide({}, { read });
    actor.send({ type: 'sample.added', name: 'dictation', file: storedFile({ id: 'f7' }) });
    goTo({ fileId: 'f7' });
    await until('fileFailed');
    expect(created).not.toHaveBeenCalled();
    actor.send({ type: 'reload.requested' });
    await vi.waitFor(() =>
      expect(created).toHaveBeenCalledExactlyOnceWith({ create: expect.objectContaining({ file_id: 'f7' }) }),
    );
  });
  it('ONB-05: a sample that comes once the other tab is shown is only listed', async () => {
    const { actor, at, created, goTo, library, loaded, navigations } = await asyncSide({ fileId: 'f1' });
    await loaded();
    goTo({ fileId: 'f1', mode: 'real-time' });
    const file = storedFile({ id: 'f7' });
    const { settings } = at().context;
    actor.send({ type: 'sample.added', name: 'meeting-notes', file });
    expect(library().files?.getSnapshot().context.items).toEqual([file, storedFile()]);
    goTo({ fileId: 'f1' });
    expect(at().matches({ file: 'loaded' })).toBe(true);
    expect(at().context).toMatchObject({ fileId: 'f1', settings });
    expect([navigations(), created.mock.calls]).toEqual([[], []]);
  });
  it('ASY-14: nothing to transcribe without a loaded file; a refusal stays beside the file', async () => {
    const { actor, child, can, loaded, until } = await asyncSide(
      { fileId: 'f1' },
      { create: () => Promise.reject(new Error('Too many.')) },
    );
    expect((await asyncSide()).can('transcribe.requested')).toBe(false);
    await loaded();
    actor.send({ type: 'transcribe.requested' });
    expect(can('transcribe.requested')).toBe(false);
    await until('refused');
    expect(child().transcription?.getSnapshot().context.failure?.message).toBe('Too many.');
    expect(can('transcribe.requested')).toBe(true);
    const refused = child().transcription;
    actor.send({ type: 'transcribe.requested' });
    expect(child().transcription).not.toBe(refused);
  });
  it('ASY-04: History shows with a transcription in the route, Settings without; a new mode changes neither', async () => {
    const { actor, goTo, panel } = await asyncSide({ transcriptionId: 't1' });
    expect(panel()).toBe('history');
    actor.send({ type: 'panel.selected', panel: 'settings' });
    goTo({ transcriptionId: 't1', mode: 'real-time' });
    expect(panel()).toBe('settings');
    goTo({ transcriptionId: 't2' });
    expect(panel()).toBe('history');
    goTo();
    expect(panel()).toBe('settings');
    actor.send({ type: 'panel.selected', panel: 'history' });
    goTo({ mode: 'real-time' });
    expect(panel()).toBe('history');
    goTo({ mode: 'real-time', fileId: 'f1' });
    expect(panel()).toBe('settings');
  });
  it.each([
    ['that is there', async () => ({ file: storedFile(), url: '/f1' })],
    ['that cannot be read', () => Promise.reject(new Error('gone'))],
  ])('ASY-05: removing a file %s asks for the address without it', async (_name, read) => {
    const { actor, navigations, at, can, goTo } = await asyncSide({ fileId: 'f1' }, { read });
    await waitFor(actor, (snapshot) => !snapshot.matches({ file: 'loading' }));
    actor.send({ type: 'file.removed.requested' });
    expect(navigations()).toEqual([{ type: 'navigate.requested', to: route() }]);
    goTo();
    expect(at()).toMatchObject({ context: { fileId: null, file: null } });
    expect(at().hasTag('fileFailed')).toBe(false);
    expect(can('file.removed.requested')).toBe(false);
  });
  it('ASY-06: Settings with neither file nor transcription leads to the plain address, and a route never does', async () => {
    const { actor, navigations, goTo } = await asyncSide({ transcriptionId: 'gone' });
    await waitFor(actor, (snapshot) => snapshot.matches({ job: { active: 'unreachable' } }));
    goTo({ transcriptionId: 'gone' });
    expect(navigations()).toEqual([]);
    actor.send({ type: 'panel.selected', panel: 'settings' });
    expect(navigations()).toEqual([{ type: 'navigate.requested', to: route(), replace: true }]);
  });
  it('ASY-02: the file of the address is loaded, and that of an opened transcription too', async () => {
    const offered = await asyncSide({ fileId: 'f3' });
    await offered.loaded();
    expect(offered.at().context).toMatchObject({ fileId: 'f3', job: null, url: '/f3' });
    const { at, loaded } = await asyncSide({ transcriptionId: 't1' });
    await loaded();
    expect(at().context).toMatchObject({ fileId: 'f1', job: { id: 't1' }, url: '/f1' });
  });
  it('ASY-18: a file that cannot be read, or played, can be read again', async () => {
    const read = vi
      .fn<() => Promise<OpenedFile>>()
      .mockRejectedValueOnce(new Error('gone'))
      .mockResolvedValue({ file: storedFile(), url: '/f1' });
    const { actor, at, loaded, until } = await asyncSide({ fileId: 'f1' }, { read });
    await until('fileFailed');
    actor.send({ type: 'reload.requested' });
    await loaded();
    expect(at().context.fileFailure).toBeNull();
    actor.send({ type: 'audio.failed' });
    await until('fileFailed');
    actor.send({ type: 'reload.requested' });
    await loaded();
    expect(at().hasTag('fileFailed')).toBe(false);
    expect(read).toHaveBeenCalledTimes(3);
  });
  it('UPL-03: an uploaded file is listed and opened by what the server answered, without what was open', async () => {
    const { navigations, at, child, library, upload, goTo, loaded } = await asyncSide({ transcriptionId: 't1' });
    await loaded();
    const file = storedFile({ id: 'f2', filename: 'new.wav' });
    child().upload?.send({ type: 'file.chosen', file: { name: 'new.wav', size: 1, type: '' } });
    upload({ type: 'upload.succeeded', file });
    expect(library().files?.getSnapshot().context.items).toEqual([file, storedFile()]);
    expect(navigations()).toEqual([{ type: 'navigate.requested', to: route({ fileId: 'f2' }) }]);
    goTo({ fileId: 'f2' });
    await loaded();
    expect(at().context).toMatchObject({ file, url: '/f2', job: null });
  });
});

describe('removal', () => {
  const item = { kind: 'transcription', id: 't1', name: 'talk.wav' } as const;
  const file = { kind: 'file', id: 'f1', name: 'talk.wav' } as const;

  it('LIB-03 LIB-04: the row goes at once, a toast follows, and the page of an open transcription closes', async () => {
    const { library, listed, told, navigations } = await asyncSide({ transcriptionId: 't1' });
    library().removal?.send({ type: 'removal.requested', item });
    expect(listed()).toEqual(['t1', 't2']);
    library().removal?.send({ type: 'removal.confirmed' });
    expect(listed()).toEqual(['t2']);
    await vi.waitFor(() => expect(toastsIn(told)).toEqual(['success: Success! Transcription was deleted.']));
    expect(navigations()).toEqual([{ type: 'navigate.requested', to: route() }]);
  });
  it.each<[RemovalItem, string]>([
    [item, 'error: Error! Failed to delete transcription. No.'],
    [file, 'error: Error! Failed to delete file. No.'],
  ])('LIB-03 LIB-04: a refused removal brings the row back to its place, and closes nothing: %j', async (one, said) => {
    const { listed, library, told, navigations, remove } = await asyncSide(
      { transcriptionId: 't1' },
      { remove: () => Promise.reject(new Error('No.')) },
    );
    remove(one);
    await vi.waitFor(() => expect(toastsIn(told)).toEqual([said]));
    expect(listed()).toEqual(['t1', 't2']);
    expect(library().files?.getSnapshot().context.items).toHaveLength(1);
    expect(navigations()).toEqual([]);
  });
  it('LIB-03 LIB-04: a file goes once that was confirmed, and closes no other', async () => {
    const { library, told, navigations, remove } = await asyncSide({ fileId: 'f9' });
    library().removal?.send({ type: 'removal.requested', item: file });
    library().removal?.send({ type: 'removal.dismissed' });
    expect(library().files?.getSnapshot().context.items).toHaveLength(1);
    remove(file);
    await vi.waitFor(() => expect(toastsIn(told)).toEqual(['success: Success! File was deleted.']));
    expect(library().files?.getSnapshot().context.items).toEqual([]);
    expect(navigations()).toEqual([]);
  });

  it.each<[string, (of: Pick<Awaited<ReturnType<typeof asyncSide>>, 'actor' | 'goTo'>) => void]>([
    ['a setting', ({ actor }) => actor.send({ type: 'settings.changed', patch: { context: 'x' } })],
    ['the translation', ({ actor }) => actor.send({ type: 'translation.toggled', translationType: 'one_way' })],
    ['the model', ({ actor }) => actor.send({ type: 'model.selected', modelId: 'async-1' })],
    ['the file', ({ goTo }) => goTo({ fileId: 'f2' })],
  ])('CON-19: why a transcription was refused goes with %s of the request that was refused', async (_name, change) => {
    const opened = await asyncSide({ fileId: 'f1' }, { create: () => Promise.reject(new Error('No.')) });
    await opened.loaded();
    opened.actor.send({ type: 'transcribe.requested' });
    await opened.until('refused');
    change(opened);
    expect(opened.at().hasTag('refused')).toBe(false);
  });

  it.each([
    ['the balance', { name: 'balance', of: 'organization' }, false],
    ['a limit', { name: 'audio_minutes', of: 'project' }, true],
  ] as const)(
    'CON-19: that %s refused a transcription goes with money if that was the cause',
    async (_, limit, stays) => {
      const create = () => Promise.reject(new CallError({ kind: 'HTTP', status: 402, message: 'No.', limit }));
      const { actor, at, can, loaded, until } = await asyncSide({ fileId: 'f1' }, { create });
      await loaded();
      actor.send({ type: 'transcribe.requested' });
      await until('refused');
      // Too little is left for this file, but the balance is not empty.
      actor.send({ type: 'balance.read', isExhausted: false });
      expect(at().hasTag('refused')).toBe(true);
      actor.send({ type: 'balance.read', isExhausted: true });
      expect([at().hasTag('refused'), can('transcribe.requested')]).toEqual([true, false]);
      actor.send({ type: 'balance.read', isExhausted: false });
      expect([at().hasTag('refused'), can('transcribe.requested')]).toEqual([stays, true]);
    },
  );

  it('CON-13 CON-27: nothing is transcribed while a language is missing or the context is too long', async () => {
    const { actor, created, at, can, loaded } = await asyncSide({ fileId: 'f1' });
    await loaded();
    actor.send({ type: 'translation.toggled', translationType: 'two_way' });
    expect(can('transcribe.requested')).toBe(false);
    actor.send({ type: 'languageA.selected', code: 'en' });
    actor.send({ type: 'transcribe.requested' });
    expect(created).not.toHaveBeenCalled();
    actor.send({ type: 'languageB.selected', code: 'de' });
    expect(can('transcribe.requested')).toBe(true);
    actor.send({ type: 'settings.changed', patch: { context: 'x'.repeat(10_001) } });
    expect(can('transcribe.requested')).toBe(false);
    expect(at().context.settings.context).toHaveLength(10_001);
  });

  it('CON-29: the file of a transcription that runs is not transcribed again until it ends', async () => {
    const { actor, created, can, goTo, loaded, until } = await asyncSide({ fileId: 'f1' });
    await loaded();
    actor.send({ type: 'transcribe.requested' });
    await until('transcribing');
    goTo({ transcriptionId: 't9' });
    actor.send({ type: 'transcribe.requested' });
    expect(can('transcribe.requested')).toBe(false);
    expect(created).toHaveBeenCalledTimes(1);
    actor.send({ type: 'transcription.updated', transcription: transcription({ id: 't9', status: 'processing' }) });
    expect(can('transcribe.requested')).toBe(false);
    actor.send({
      type: 'transcription.updated',
      transcription: transcription({ id: 't9', status: 'error', error_type: 'cancelled' }),
    });
    expect(can('transcribe.requested')).toBe(true);
    actor.send({ type: 'transcription.updated', transcription: transcription({ id: 't9', status: 'processing' }) });
    expect(can('transcribe.requested')).toBe(false);
    goTo({ fileId: 'f2' });
    await loaded();
    expect(can('transcribe.requested')).toBe(true);
  });

  it('CON-29: a running transcription that is opened from History keeps its file from a second one, an ended one does not', async () => {
    const running = await asyncSide(
      { transcriptionId: 't1' },
      { look: (id) => transcription({ id, status: 'processing' }) },
    );
    await running.loaded();
    expect(running.can('transcribe.requested')).toBe(false);
    const ended = await asyncSide(
      { transcriptionId: 't1' },
      { look: (id) => transcription({ id, status: 'completed' }) },
    );
    await ended.loaded();
    expect(ended.can('transcribe.requested')).toBe(true);
  });

  it.each(['listed.read', 'lists.read'] as const)(
    'ASY-19: %s is told to the transcription on show, which ends with its row',
    async (type) => {
      const { at, child, loaded } = await asyncSide(
        { transcriptionId: 't1' },
        { look: (id) => transcription({ id, status: 'processing' }) },
      );
      await loaded();
      const send = (id: string) => {
        const item = transcription({ id, status: 'completed' });
        child().library?.send(
          type === 'listed.read'
            ? { type, kind: 'transcription', isNew: false, item }
            : { type, files: { items: [], nextCursor: null }, transcriptions: { items: [item], nextCursor: null } },
        );
      };
      const known = () => at().children.transcription?.getSnapshot().context.transcription?.status;
      send('t2');
      expect(known()).toBe('processing');
      send('t1');
      expect(known()).toBe('completed');
      expect(at().hasTag('transcribing')).toBe(false);
    },
  );

  it('ASY-05 ASY-18: a file that the browser cannot play is transcribed only if it is a recording', async () => {
    const after = async (judge: () => Promise<boolean>) => {
      const { actor, at, can, loaded, until } = await asyncSide({ fileId: 'f1' }, { judge });
      await loaded();
      actor.send({ type: 'audio.failed' });
      expect(can('transcribe.requested')).toBe(false);
      await until('fileFailed');
      return at();
    };
    const none = await after(async () => false);
    expect(none.can({ type: 'transcribe.requested' })).toBe(false);
    expect(none.can({ type: 'file.removed.requested' })).toBe(true);
    expect(none.context.file?.filename).toBe('read.wav');
    expect((await after(async () => true)).can({ type: 'transcribe.requested' })).toBe(true);
    expect((await after(() => Promise.reject(new Error('No network.')))).can({ type: 'transcribe.requested' })).toBe(
      true,
    );
  });

  it('ASY-20: what a failed transcription asked for is taken over into the panel, to be corrected', async () => {
    const failed = transcription({
      status: 'error',
      error_type: 'engine_failed',
      model: 'async-alias',
      language_hints: ['de', 'xx'],
      context: { terms: ['Ada'] },
      enable_speaker_diarization: true,
      translation: { type: 'two_way', language_a: 'de', language_b: 'fr' },
    });
    const { actor, at, loaded, panel, navigations, told } = await asyncSide(
      { transcriptionId: 't1' },
      { look: () => failed },
    );
    await loaded();
    expect(panel()).toBe('history');
    actor.send({ type: 'request.reused', transcription: failed });
    expect(panel()).toBe('settings');
    expect(navigations().at(-1)).toMatchObject({ to: { transcriptionId: 't1', panel: 'settings' } });
    expect(told).toContainEqual({ type: 'panel.requested', by: 'person' });
    expect(toastsIn(told)).toEqual(['success: Settings of the failed request are in the panel.']);
    expect(at().context.modelId).toBe('async-1');
    // A language that the model does not know is left out.
    expect(at().context.settings).toMatchObject({
      language_hints: ['de'],
      context: JSON.stringify({ terms: ['Ada'] }, null, 2),
      enable_speaker_diarization: true,
      enable_language_identification: false,
      translation_type: 'two_way',
      translation_two_way: { language_a: 'de', language_b: 'fr' },
    });
    const other = transcription({
      model: 'gone',
      context: 'Names',
      translation: { type: 'one_way', target_language: 'fr' },
    });
    actor.send({ type: 'request.reused', transcription: other });
    actor.send({
      type: 'request.reused',
      transcription: { ...other, webhook_url: 'https://example.com/hook', client_reference_id: 'call-7' },
    });
    expect(toastsIn(told).at(-1)).toBe(
      'success: Settings of the failed request are in the panel. Its webhook and reference will not be sent again.',
    );
    expect(at().context).toMatchObject({
      modelId: 'async-1',
      settings: { context: 'Names', language_hints: [], translation_one_way: { target_language: 'fr' } },
    });
  });

  it('ASY-20: one that failed for a moment is asked for again as it was, whatever the panel has', async () => {
    const failed = transcription({
      status: 'error',
      error_type: 'service_unavailable',
      model: 'async-alias',
      language_hints: ['de'],
      language_hints_strict: true,
      context: 'Ada',
    });
    const { actor, at, loaded, created } = await asyncSide({ transcriptionId: 't1' }, { look: () => failed });
    await loaded();
    actor.send({ type: 'settings.changed', patch: { context: 'Typed' } });
    const repeat = (changes: Partial<Transcription> = {}) =>
      ({ type: 'request.repeated', transcription: { ...failed, ...changes } }) as const;
    expect(at().can(repeat({ model: 'gone' }))).toBe(false);
    expect(at().can(repeat({ file_id: null }))).toBe(false);
    actor.send({ type: 'balance.read', isExhausted: true });
    expect(at().can(repeat())).toBe(false);
    actor.send({ type: 'balance.read', isExhausted: false });
    actor.send(repeat());
    expect(at().can(repeat())).toBe(false);
    expect(created).toHaveBeenCalledExactlyOnceWith({
      create: expect.objectContaining({
        model: 'async-1',
        file_id: 'f1',
        language_hints: ['de'],
        language_hints_strict: true,
        context: 'Ada',
      }),
    });
    expect(at().context.settings.context).toBe('Typed');
  });

  it('ASY-20: another recording is transcribed as soon as it is there, like the one that it replaces', async () => {
    const failed = transcription({
      status: 'error',
      error_type: 'invalid_audio',
      file_id: null,
      language_hints: ['de'],
      client_reference_id: 'call-7',
      webhook_url: 'https://example.com/hook',
    });
    const file = { name: 'other.wav', size: 10, type: 'audio/wav' };
    const side = await asyncSide({ transcriptionId: 't1' }, { look: () => failed });
    side.actor.send({ type: 'settings.changed', patch: { context: 'Typed' } });
    side.actor.send({ type: 'recording.replaced', file, transcription: failed });
    side.upload({ type: 'upload.succeeded', file: storedFile({ id: 'f8' }) });
    await vi.waitFor(() => expect(side.created).toHaveBeenCalledOnce());
    expect(side.created).toHaveBeenCalledWith({
      create: expect.objectContaining({
        file_id: 'f8',
        language_hints: ['de'],
        context: '',
        client_reference_id: 'call-7',
        webhook_url: 'https://example.com/hook',
      }),
    });
    // Whoever has gone to the other tab meanwhile pays for nothing that they do not see.
    const away = await asyncSide({ transcriptionId: 't1' }, { look: () => failed });
    away.actor.send({ type: 'recording.replaced', file, transcription: failed });
    away.goTo({ transcriptionId: 't1', mode: 'real-time' });
    away.upload({ type: 'upload.succeeded', file: storedFile({ id: 'f8' }) });
    await away.loaded();
    expect(away.created).not.toHaveBeenCalled();
    // No money is left meanwhile: the settings wait in the panel, which a toast says.
    const broke = await asyncSide({ transcriptionId: 't1' }, { look: () => failed });
    broke.actor.send({ type: 'recording.replaced', file, transcription: failed });
    broke.actor.send({ type: 'balance.read', isExhausted: true });
    broke.upload({ type: 'upload.succeeded', file: storedFile({ id: 'f8' }) });
    await broke.loaded();
    expect(broke.created).not.toHaveBeenCalled();
    expect(broke.actor.getSnapshot().context).toMatchObject({ fileId: 'f8', settings: { language_hints: ['de'] } });
  });
});
