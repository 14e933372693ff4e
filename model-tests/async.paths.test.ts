import { describe, expect } from 'vitest';
import { asyncMachine } from '#machines/playground/async/machine.ts';
import type { PlaygroundRoute } from '#machines/shared/route.ts';
import { logRequest } from '#test/machines/logged.ts';
import { MODELS, playgroundRoute as route, storedFile, transcription } from '#test/machines/playground-fixtures.ts';
import { describeWalks } from './walk.ts';

const input = (changes: Partial<PlaygroundRoute> = {}) => ({
  orgUuid: 'o1',
  projectUuid: 'p1',
  route: route(changes),
  models: MODELS,
  maxUploadBytes: 100,
});
const item = { kind: 'transcription', id: 't1', name: 'talk.wav' };
const other = { kind: 'file', id: 'f9', name: 'other.wav' };
const FAILURE = { kind: 'HTTP', status: 402, message: 'No.' };
const SETTINGS = [
  ...['settings', 'request.reused', 'request.opened', 'translation.', 'targetLanguage', 'languageA', 'languageB'],
  'model',
];
/** What the lists hear and tell, in every situation alike. */
const LISTS = ['push.', 'session.', 'transcriptions.'];
const changed = (changes: Partial<PlaygroundRoute> = {}) => ({ type: 'route.changed', route: route(changes) });

describe('ASY-07 ASY-14: every way through a file and its transcription', () => {
  describeWalks(
    asyncMachine,
    {
      tags: {
        history: ['panel.history'],
        fileLoading: ['file.loading', 'file.probing'],
        filePlayable: ['file.loaded.playable'],
        fileFailed: ['file.loaded.unplayable', 'file.unreadable', 'file.failed'],
        fileUnplayable: ['file.loaded.unplayable'],
        fileUnreadable: ['file.unreadable'],
        creating: ['job.active.creating'],
        refused: ['job.active.refused'],
        transcribing: ['job.active.opened.running'],
      },
      refused: [{ states: [''], event: { type: 'model.selected', modelId: 'rt-1' }, why: 'It transcribes no files' }],
      ignored: {
        'The transcription on show is not among them': [
          'transcriptions.read in job.none',
          'transcriptions.read at times in job.active',
        ],
        'Something else is open': 'item.removed at times in any state',
        'Two-way translation is not on': 'languageB.selected at times in any state',
        'The update is of another transcription, or changes nothing of the file':
          'transcription.updated at times in file',
        'Nothing is open that could be removed': 'file.removed.requested at times in file.none',
        'Nothing plays': 'audio.failed in file.{failed, loaded.unplayable, loading, none, probing, unreadable}',
        'No file failed to be read': 'reload.requested in file.{loaded.playable, loading, none, probing}',
        'No file is there to be transcribed; or that is under way':
          'transcribe.requested in file.{failed, loading, none, probing, unreadable}, job.active.{creating, opened.running}',
        'One is on its way': 'request.repeated in job.active.{creating, opened.running}',
        'Not the phase of the job':
          'transcription.created, transcription.refused in job.{active.{opened, refused, unreachable}, none}',
        'No refused request is there to be changed':
          'request.changed in job.{active.{creating, opened, unreachable}, none}',
        'The balance is used up': [
          'transcribe.requested at times in file.loaded',
          'request.repeated at times in any state',
        ],
        'No transcription is open': 'transcription.unreachable in job.{active.{creating, refused, unreachable}, none}',
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
        'panel.selected': [{ panel: 'settings' }, { panel: 'history' }],
        'transcription.created': [{ transcription: transcription({ id: 't2' }) }],
        'transcription.updated': [
          { transcription: transcription() },
          { transcription: transcription({ status: 'completed' }) },
        ],
        'done readFile': [{ file: storedFile(), url: '/f1' }],
        'done probeRecording': [true, false],
        'settings.changed': [{ patch: { context: 'x' } }],
        'request.reused': [{ transcription: transcription({ status: 'error' }) }],
        'request.repeated': [{ transcription: transcription({ status: 'error' }) }],
        'request.opened': [{ request: logRequest() }, { request: null }],
        'recording.replaced': [
          {
            file: { name: 'talk.wav', size: 10, type: 'audio/wav' },
            transcription: transcription({ status: 'error' }),
          },
        ],
        'translation.toggled': [{ translationType: 'two_way' }],
        'targetLanguage.selected': [{ code: 'de' }],
        'languageA.selected': [{ code: 'en' }],
        'languageB.selected': [{ code: 'de' }],
        'model.selected': [{ modelId: 'async-1' }],
        'file.uploaded': [{ file: storedFile() }, { file: storedFile(), like: transcription({ status: 'error' }) }],
        'sample.added': [{ name: 'dictation', file: storedFile() }],
        'item.removed': [{ item }, { item: other }],
        'balance.read': [{ isExhausted: false }],
        'transcription.refused': [
          { failure: FAILURE },
          { failure: { ...FAILURE, limit: { name: 'balance', of: 'organization' } } },
        ],
        'push.received': [{ event: { type: 'resync' } }],
        'session.saved': [{ transcription: transcription() }],
        'transcriptions.read': [{ transcriptions: [transcription()] }, { transcriptions: [] }],
      },
      distinguish: ({ context }) => [
        context.route.mode,
        context.route.panel,
        context.route.fileId,
        context.route.transcriptionId,
        context.fileId,
        context.job,
        context.isExhausted,
        context.settings.translation_two_way.language_a,
      ],
      states: {
        'job.active': ({ context }) => expect(context.job).not.toBeNull(),
        'job.none': ({ context }) => expect(context.job).toBeNull(),
        'file.none': ({ context }) => expect(context.fileId).toBeNull(),
        'file.loaded': ({ context }) => expect(context.url).toBe('/f1'),
        'file.unreadable': ({ context }) => expect(context.file).not.toBeNull(),
      },
    },
    {
      'settings on the empty page': {
        input: input(),
        without: [...LISTS, 'route', 'panel', 'transcri', 'file.', 'item.', 'xstate.error.actor'],
      },
      'lists and children on the empty page': {
        input: input(),
        without: [...SETTINGS, 'route', 'panel', 'transcription.updated'],
      },
      'a file': {
        input: input({ fileId: 'f1' }),
        cases: {
          'route.changed': [changed(), changed({ fileId: 'f1' }), changed({ transcriptionId: 't2' })],
          'balance.read': [{ isExhausted: true }, { isExhausted: false }],
        },
        without: [...LISTS, ...SETTINGS, 'item.', 'panel', 'transcription.updated'],
      },
      panels: {
        input: input(),
        without: [...LISTS, ...SETTINGS, 'item.', 'file.', 'transcri', 'xstate.error', 'xstate.done.actor.readFile'],
      },
      'panels that the address names': {
        input: input(),
        cases: { 'route.changed': [changed({ panel: 'history' }), changed({ panel: 'settings' })] },
        without: [...LISTS, ...SETTINGS, 'item.', 'file.', 'transcri'],
      },
      'panels beside a file': {
        input: input({ fileId: 'f1' }),
        without: [...LISTS, ...SETTINGS, 'item.', 'file.', 'transcri', 'route'],
      },
      'what was read of the transcription on show': {
        input: input({ transcriptionId: 't1' }),
        without: [...SETTINGS, 'push.', 'session.', 'route', 'file.', 'panel', 'transcription.', 'transcribe', 'item.'],
      },
      'a transcription': {
        input: input({ transcriptionId: 't1' }),
        cases: { 'item.removed': [{ item }] },
        without: [...LISTS, ...SETTINGS, 'route', 'file.', 'panel'],
      },
    },
  );
});
