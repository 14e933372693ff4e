import { describe, expect } from 'vitest';
import { liveError } from '#machines/playground/live/errors.ts';
import { liveMachine } from '#machines/playground/live/machine.ts';
import { NO_TALLY } from '#machines/playground/live/tally.ts';
import { LIVE_DEFAULTS } from '#machines/playground/settings/types.ts';
import { EMPTY } from '#machines/playground/transcript/record.ts';
import { logRequest } from '#test/machines/logged.ts';
import { RT, transcription } from '#test/machines/playground-fixtures.ts';
import { describeWalks } from './walk.ts';

const file = { name: 'talk.wav', size: 10, type: 'audio/wav' };

const SETTINGS = ['settings', 'request.', 'translation', 'targetLanguage', 'languageA', 'languageB', 'model'];
const input = { models: [RT], browserLanguages: [] };

describe('LIV-01 LIV-06 LIV-10: every way of the live recorder', () => {
  describeWalks(
    liveMachine,
    {
      tags: {
        stopped: ['session.stopped'],
        starting: ['session.active.starting'],
        running: ['session.active.running'],
        finalizing: ['session.active.running.finalizing'],
        stopping: ['session.active.stopping'],
        fileLoading: ['input.fetching', 'input.loading'],
        fileFailed: ['input.unplayable'],
        empty: ['record.empty'],
        atEnd: ['playback.ended'],
        taken: ['screen.taken', 'controls.gone'],
        placeRemoved: ['place.removed'],
      },
      refused: [{ states: [''], event: { type: 'model.selected', modelId: 'gone' }, why: 'There is no such model' }],
      ignored: {
        'A session keeps the settings that it began with':
          'settings.changed, request.opened, translation.toggled, targetLanguage.selected, languageA.selected, model.selected, source.selected, file.picked, sample.requested, reset.requested in session.active',
        'Only two-way translation has a second language; a session keeps what it began with':
          'languageB.selected in input.{loading, playable, unplayable}, playback.{ended, partway}, record.transcribed, session.active',
        'What the settings, the file or an empty record forbid':
          'languageB.selected, run.requested, reset.requested at times in session.stopped',
        'The input cannot be played; or a session is on': 'run.requested in input.unplayable, session.active',
        'No session is on': 'cancel.requested, stream.finishing in session.stopped',
        'What is heard once there are words changes no state of the record':
          'tokens.received at times in record.transcribed',
        'It is stopping, or nothing is on': 'stop.requested in session.{active.stopping, stopped}',
        'The session opens once': 'stream.opened in session.{active.{running, stopping}, stopped}',
        'Nothing is recorded': 'sound.measured in session.stopped',
        'No time passes: nothing is recorded': 'clock.ticked in session.{active.{starting, stopping}, stopped}',
        'Nothing was heard that could be finalized; or it was asked for already':
          'finalize.requested in record.empty, session.{active.{running.finalizing, starting, stopping}, stopped}',
        'The person begins it': 'file.readied in start.byHand',
        'It is empty already': 'record.cleared in record.empty',
        'Nobody would see it, or it is gone that it would be of':
          'sample.requested in screen.taken, controls.gone, place.removed',
        'The place was there already': 'place.back in place.there',
        'The place was gone already': 'place.removed in place.removed',
        'The screen was not taken': 'screen.returned in screen.shown',
        'They were there already': 'controls.restored in controls.standing',
        'They were gone already': 'controls.gone in controls.gone',
      },
      merge: true,
      limit: 12_000,
      cases: {
        'settings.changed': [{ patch: { context: 'no JSON' } }],
        'translation.toggled': [{ translationType: 'two_way' }],
        'targetLanguage.selected': [{ code: 'de' }],
        'languageA.selected': [{ code: 'en' }],
        'languageB.selected': [{ code: 'de' }],
        'model.selected': [{ modelId: 'rt-1' }],
        'request.opened': [{ request: logRequest({ model: 'rt-1' }) }],
        'source.selected': [{ source: 'file' }, { source: 'microphone' }],
        'file.picked': [{ file }],
        'tokens.received': [
          { tokens: [{ text: 'a', is_final: true }] },
          { tokens: [{ text: '<fin>', is_final: true }] },
        ],
        'clock.ticked': [{ elapsedSeconds: 1 }],
        'balance.read': [{ isExhausted: false }],
        'place.removed': [{ reason: 'You were removed from ACME.' }],
        'sound.measured': [{ level: 0.5, durationMs: 120 }],
        'playback.progressed': [{ positionMs: 1, durationMs: 2 }],
        // Raised by the machine itself.
        'record.cleared': [],
        'playback.rewound': [],
        'file.adopted': [],
        'sampleFile.requested': [],
        'file.readied': [],
        'session.heard': [{ tokens: [{ text: 'a' }] }],
        'session.saved': [{ transcription: transcription() }],
        'done fetchSample': [file],
        'done stream': [
          { kind: 'finished' },
          { kind: 'canceled' },
          { kind: 'error', error: liveError('cannot_continue_request') },
        ],
      },
      // Besides the states: what decides whether Run, Reset and language B are possible.
      distinguish: ({ context }) => [
        context.source,
        context.file !== null,
        context.error !== null,
        context.tally.firstWordMs !== null,
        context.settings.context,
        context.settings.translationType,
        context.settings.translationTwoWay.languageA,
        context.settings.translationTwoWay.languageB,
      ],
      states: {
        'input.none': ({ context }) => expect(context.file).toBeNull(),
        'session.stopped': (snapshot) => {
          // LIV-10, CON-13.
          const ready = snapshot.context.source === 'microphone' || snapshot.matches({ input: 'playable' });
          const {
            translationType: type,
            translationTwoWay: { languageA, languageB },
          } = snapshot.context.settings;
          expect(snapshot.can({ type: 'run.requested' })).toBe(
            snapshot.matches({ screen: 'shown', controls: 'standing', place: 'there' }) &&
              ready &&
              (type === null || (languageA !== null && languageB !== null)),
          );
        },
        'session.active': ({ context }) => expect(context.error).toBeNull(),
      },
    },
    {
      'what was kept': {
        input: {
          ...input,
          saved: {
            record: { ...EMPTY, tail: [{ text: 'Hi' }] },
            settings: LIVE_DEFAULTS,
            modelId: 'rt-1',
            source: 'file',
            deviceId: null,
            file,
            elapsedSeconds: 3,
            tally: NO_TALLY,
            unsaved: null,
            offersLast: false,
          },
        },
        without: [
          ...SETTINGS,
          'source',
          'tokens',
          'playback',
          'clock',
          'xstate.done.actor.stream',
          'finalize',
          'cancel',
          'stop',
          'run',
          'screen',
          'controls',
          'place',
        ],
      },
      'settings and a wrong context': {
        input,
        without: [
          'session.',
          'source',
          'file',
          'tokens',
          'playback',
          'clock',
          'xstate',
          'stream',
          'finalize',
          'cancel',
          'stop',
          'screen',
          'controls',
          'place',
        ],
      },
      'the microphone': { input, without: ['session.', ...SETTINGS, 'source', 'file', 'playback'] },
      'a file': {
        input,
        without: [
          'session.',
          ...SETTINGS,
          'tokens',
          'clock',
          'finalize',
          'cancel',
          'xstate.error',
          'screen',
          'controls',
          'place',
        ],
      },
    },
  );
});
