import { describe, expect } from 'vitest';
import { playgroundMachine } from '#machines/playground/machine.ts';
import type { PlaygroundRoute } from '#machines/shared/route.ts';
import { MODELS, playgroundRoute as route, storedFile, transcription } from '#test/machines/playground-fixtures.ts';
import { describeWalks } from './walk.ts';

const input = (changes: Partial<PlaygroundRoute> = {}) => ({
  orgUuid: 'o1',
  projectUuid: 'p1',
  route: route(changes),
  featureFlags: [],
  browserLanguages: ['en-GB'],
});
const item = { kind: 'transcription', id: 't1', name: 'talk.wav' };
const other = { kind: 'file', id: 'f9', name: 'other.wav' };
const SETTINGS = ['settings', 'translation.', 'targetLanguage', 'languageA', 'languageB', 'model'];
/** What others do reaches the lists in every situation alike. */
const PUSHED = ['push.', 'transcriptions.', 'use.'];
/** What is drawn, in every situation alike. */
const VIEW = ['part.', 'view.'];
const changed = (changes: Partial<PlaygroundRoute> = {}) => ({ type: 'route.changed', route: route(changes) });

describe('ASY-01 ASY-07 ASY-14: every way through the playground', () => {
  describeWalks(
    playgroundMachine,
    {
      tags: {
        loading: ['loading'],
        failed: ['failed'],
        async: ['ready.mode.async'],
        realTime: ['ready.mode.realTime'],
        history: ['ready.panel.history'],
        fileLoading: ['ready.file.loading', 'ready.file.probing'],
        filePlayable: ['ready.file.loaded.playable'],
        fileFailed: ['ready.file.loaded.unplayable', 'ready.file.unreadable', 'ready.file.failed'],
        fileUnplayable: ['ready.file.loaded.unplayable'],
        fileUnreadable: ['ready.file.unreadable'],
        creating: ['ready.job.active.creating'],
        refused: ['ready.job.active.refused'],
        transcribing: ['ready.job.active.opened.running'],
      },
      refused: [
        { states: [''], event: { type: 'model.selected', modelId: 'rt-1' }, why: 'It transcribes no files' },
        {
          states: [''],
          event: { type: 'push.received', event: { type: 'members.changed', org_uuid: 'o1' } },
          why: 'It is about neither lists nor what may be used',
        },
        ...[
          { type: 'file.created', project_uuid: 'p2', file_id: 'f3' },
          { type: 'log.added', project_uuid: 'p2' },
          { type: 'limits.changed', organization_uuid: 'o2' },
        ].map((event) => ({ states: [''], event: { type: 'push.received', event }, why: 'It is about another place' })),
      ],
      ignored: {
        'The playground is not there yet': 'mode.selected in failed, loading',
        'Nothing has failed': 'retry.requested in loading, ready',
        'All of it is drawn': 'view.open.requested in failed, loading, ready.view.whole',
        'The playground is not there yet: its lists are read when it is':
          'translation.toggled, targetLanguage.selected, languageA.selected, settings.changed, model.selected, push.received, file.uploaded, sample.added, session.saved, panel.selected, history.shown, transcription.updated, use.changed in failed, loading',
        'The transcription on show is not among them': [
          'transcriptions.read in failed, loading, ready.job.none',
          'transcriptions.read at times in ready.job.active',
        ],
        'Something else is open': ['item.removed in failed, loading', 'item.removed at times in ready'],
        'Only two-way translation has a second language':
          'languageB.selected in failed, loading, ready.{file.failed, mode.realTime}',
        'Two-way translation is not on': 'languageB.selected at times in ready.mode.async',
        'Only the asynchronous mode shows the file': [
          'file.removed.requested in failed, loading',
          'file.removed.requested at times in ready.mode.realTime',
        ],
        'The update is of another transcription, or changes nothing of the file':
          'transcription.updated at times in ready.file',
        'Nothing is open that could be removed': 'file.removed.requested at times in ready.file.none',
        'Nothing plays':
          'audio.failed in failed, loading, ready.file.{failed, loaded.unplayable, loading, none, probing, unreadable}',
        'No file failed to be read':
          'reload.requested in failed, loading, ready.file.{loaded.playable, loading, none, probing}',
        'No file is there to be transcribed; or that is under way':
          'transcribe.requested in failed, loading, ready.{file.{failed, loading, none, probing, unreadable}, job.active.{creating, opened.running}}',
        'Not the phase of the job':
          'transcription.created, transcription.refused in failed, loading, ready.job.{active.{opened, refused, unreachable}, none}',
        'No refused request is there to be changed':
          'request.changed in failed, loading, ready.job.{active.{creating, opened, unreachable}, none}',
        'No transcription is open':
          'transcription.unreachable in failed, loading, ready.job.{active.{creating, refused, unreachable}, none}',
      },
      merge: true,
      limit: 60_000,
      cases: {
        'route.changed': [
          changed(),
          changed({ fileId: 'f1' }),
          changed({ transcriptionId: 't1' }),
          changed({ mode: 'real-time' }),
        ],
        'mode.selected': (['real-time', 'async'] as const).map((mode) => ({ mode })),
        'panel.selected': [{ panel: 'settings' }, { panel: 'history' }],
        'transcription.created': [{ transcription: transcription({ id: 't2' }) }],
        'transcription.updated': [
          { transcription: transcription() },
          { transcription: transcription({ status: 'completed' }) },
        ],
        'done loadPlayground': [
          {
            models: MODELS,
            maxUploadBytes: 100,
            isLiveSupported: true,
            addresses: { speech: 'https://speech.example', socket: 'wss://speech.example/transcribe-websocket' },
          },
        ],
        'done readFile': [{ file: storedFile(), url: '/f1' }],
        'done probeRecording': [true, false],
        'settings.changed': [{ patch: { context: 'x' } }],
        'translation.toggled': [{ translationType: 'two_way' }],
        'targetLanguage.selected': [{ code: 'de' }],
        'languageA.selected': [{ code: 'en' }],
        'languageB.selected': [{ code: 'de' }],
        'model.selected': [{ modelId: 'async-1' }],
        'file.uploaded': [{ file: storedFile() }],
        'sample.added': [{ name: 'dictation', file: storedFile() }],
        'item.removed': [{ item }, { item: other }],
        'push.received': [
          { type: 'resync' },
          { type: 'file.created', project_uuid: 'p1', file_id: 'f3' },
          { type: 'session.ended' },
          { type: 'log.added', project_uuid: 'p1' },
          { type: 'limits.changed', organization_uuid: 'o1' },
          { type: 'billing.changed', organization_uuid: 'o1' },
        ].map((event) => ({ event })),
        'transcriptions.read': [{ transcriptions: [transcription()] }, { transcriptions: [] }],
      },
      distinguish: ({ context }) => [
        context.route.mode,
        context.route.panel,
        context.route.fileId,
        context.route.transcriptionId,
        context.fileId,
        context.job,
        context.settings.translation_two_way.language_a,
        context.hasFailedEarly,
      ],
      states: {
        ready: (snapshot) => expect(snapshot.hasTag('realTime')).toBe(snapshot.context.route.mode === 'real-time'),
        'ready.job.active': ({ context }) => expect(context.job).not.toBeNull(),
        'ready.job.none': ({ context }) => expect(context.job).toBeNull(),
        'ready.file.none': ({ context }) => expect(context.fileId).toBeNull(),
        'ready.file.loaded': ({ context }) => expect(context.url).toBe('/f1'),
        'ready.file.unreadable': ({ context }) => expect(context.file).not.toBeNull(),
      },
    },
    {
      'settings on the empty page': {
        input: input(),
        without: [...PUSHED, ...VIEW, 'route', 'panel', 'mode.', 'transcri', 'file.', 'item.', 'xstate.error.actor'],
      },
      'lists and children on the empty page': {
        input: input(),
        without: [...SETTINGS, ...VIEW, 'route', 'panel', 'transcription.updated'],
      },
      modes: {
        input: input({ mode: 'real-time' }),
        without: [
          ...PUSHED,
          ...SETTINGS,
          'item.',
          'file.',
          'panel',
          'transcri',
          'xstate.error',
          'xstate.done.actor.readFile',
        ],
      },
      'a file': {
        input: input({ fileId: 'f1' }),
        cases: { 'route.changed': [changed(), changed({ fileId: 'f1' }), changed({ transcriptionId: 't2' })] },
        without: [...PUSHED, ...SETTINGS, ...VIEW, 'mode.', 'item.', 'panel', 'transcription.updated'],
      },
      panels: {
        input: input(),
        without: [
          ...PUSHED,
          ...SETTINGS,
          ...VIEW,
          'mode.',
          'item.',
          'file.',
          'transcri',
          'xstate.error',
          'xstate.done.actor.readFile',
          'route',
        ],
      },
      'panels that the address names': {
        input: input(),
        cases: { 'route.changed': [changed({ panel: 'history' }), changed({ panel: 'settings' })] },
        without: [...PUSHED, ...SETTINGS, ...VIEW, 'mode.', 'item.', 'file.', 'transcri'],
      },
      'panels beside a file': {
        input: input({ fileId: 'f1' }),
        without: [...PUSHED, ...SETTINGS, ...VIEW, 'mode.', 'item.', 'file.', 'transcri', 'route'],
      },
      'what was read of the transcription on show': {
        input: input({ transcriptionId: 't1' }),
        without: [
          ...SETTINGS,
          ...VIEW,
          'push.',
          'use.',
          'route',
          'mode.',
          'file.',
          'panel',
          'transcription.',
          'transcribe',
          'item.',
        ],
      },
      'a transcription': {
        input: input({ transcriptionId: 't1' }),
        cases: { 'item.removed': [{ item }] },
        without: [...PUSHED, ...SETTINGS, ...VIEW, 'route', 'mode.', 'file.', 'panel'],
      },
    },
  );
});
