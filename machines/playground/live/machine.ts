// Models the live side of the playground: settings and source while stopped, one session at a time, its transcript.
// Owned by the playground, while it is open; the workspace keeps the transcript after that (saved.ts).
import { raise, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { liveError } from './errors.ts';
import { initialContext, setupLive, streamInput } from './setup.ts';
import { controls, input, place, screen, start } from './states.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { EMPTY } from '../transcript/record.ts';

export type { LiveInput } from './setup.ts';
export type { LiveSource } from './types.ts';

// Settings can change only here; a session ignores these events.
const stopped = setupLive.createStateConfig({
  tags: 'stopped',
  on: {
    'settings.changed': {
      actions: [withEvent('patchSettings'), { type: 'clearErrorOf', params: { subject: 'settings' } }],
    },
    'translation.toggled': {
      guard: withEvent('isAllowed'),
      actions: [withEvent('changeTranslation'), { type: 'clearErrorOf', params: { subject: 'settings' } }],
    },
    'targetLanguage.selected': {
      guard: withEvent('isAllowed'),
      actions: [withEvent('changeTranslation'), { type: 'clearErrorOf', params: { subject: 'settings' } }],
    },
    'languageA.selected': {
      guard: withEvent('isAllowed'),
      actions: [withEvent('changeTranslation'), { type: 'clearErrorOf', params: { subject: 'settings' } }],
    },
    'languageB.selected': {
      guard: withEvent('isAllowed'),
      actions: [withEvent('changeTranslation'), { type: 'clearErrorOf', params: { subject: 'settings' } }],
    },
    'model.selected': {
      guard: withEvent('isOffered'),
      actions: [withEvent('selectModel'), { type: 'clearErrorOf', params: { subject: 'settings' } }],
    },
    'request.opened': {
      actions: [withEvent('openRequest'), { type: 'clearErrorOf', params: { subject: 'settings' } }],
    },
    'source.selected': { actions: [withEvent('selectSource'), { type: 'clearErrorOf', params: { subject: 'input' } }] },
    'file.picked': {
      actions: [
        withEvent('setFile'),
        { type: 'clearErrorOf', params: { subject: 'input' } },
        raise({ type: 'file.adopted' }),
        raise({ type: 'playback.rewound' }),
      ],
    },
    'sample.requested': {
      guard: 'isShown',
      actions: [
        { type: 'selectSource', params: { source: 'file' } },
        { type: 'clearErrorOf', params: { subject: 'input' } },
        raise({ type: 'sampleFile.requested' }),
      ],
    },
    'run.requested': [
      { guard: 'hasBadContext', actions: 'setContextError' },
      { guard: 'canRun', target: 'active', actions: ['clearSession', 'closeTrial'] },
    ],
    'reset.requested': {
      guard: 'canReset',
      actions: [
        'clearTranscript',
        'clearSavingSession',
        'clearSession',
        raise({ type: 'record.cleared' }),
        raise({ type: 'playback.rewound' }),
      ],
    },
  },
});

const notifyUseChanged = { type: 'notifyParent', params: { type: 'use.changed' } } as const;

const running = setupLive.createStateConfig({
  tags: 'running',
  entry: notifyUseChanged,
  invoke: [
    { id: 'clock', src: 'clock' },
    { id: 'inputLevel', src: 'inputLevel', input: ({ context: { source } }) => ({ source }) },
  ],
  initial: 'listening',
  on: {
    'stop.requested': { actions: 'stopStream' },
    'clock.ticked': { actions: withEvent('setElapsed') },
    'sound.measured': { actions: [withEvent('countSound'), withEvent('passSound')] },
  },
  states: {
    listening: {
      on: { 'finalize.requested': { guard: 'isTranscribed', target: 'finalizing', actions: 'finalizeStream' } },
    },
    // Ignores another press until the answer has come.
    finalizing: {
      tags: 'finalizing',
      on: {
        'tokens.received': {
          guard: withEvent('isFinalized'),
          target: 'listening',
          actions: [withEvent('countTokens'), withEvent('passTokens')],
        },
      },
      after: { finalizeLimit: 'listening' },
    },
  },
});

const active = setupLive.createStateConfig({
  invoke: [
    { id: 'unsavedWork', src: 'unsavedWork', input: { kind: 'live', scope: 'screen' } },
    {
      id: 'stream',
      src: 'stream',
      input: ({ context }) => streamInput(context),
      onDone: [
        { guard: withOutput('isFinished'), target: 'ended' },
        { guard: withOutput('isCanceled'), target: 'broken' },
        {
          target: 'broken',
          actions: {
            type: 'setError',
            params: ({ event: { output } }) => ({
              error: output.kind === 'error' ? output.error : liveError('websocket_error'),
            }),
          },
        },
      ],
    },
  ],
  initial: 'starting',
  on: {
    'cancel.requested': { actions: 'cancelStream' },
    'stream.finishing': '.stopping',
    'tokens.received': { actions: [withEvent('countTokens'), withEvent('passTokens')] },
    'sound.measured': { actions: withEvent('countSound') },
  },
  states: {
    starting: {
      tags: 'starting',
      on: {
        'stop.requested': { actions: 'stopStream' },
        'stream.opened': { target: 'running', actions: 'countSent' },
        'sound.measured': { actions: withEvent('countUnsent') },
      },
    },
    running,
    stopping: { tags: 'stopping' },
  },
});

/** A session that is over: its words stay, and one without words leaves no trace. */
const closing = (how: 'finished' | 'broken') =>
  setupLive.createStateConfig({
    entry: notifyUseChanged,
    always: [
      { guard: 'isTranscribed', target: 'stopped', actions: { type: 'closeTranscript', params: { how } } },
      { target: 'stopped' },
    ],
  });

export const liveMachine = setupLive.createMachine({
  id: 'live',
  context: ({ input }) => initialContext(input),
  invoke: [
    { id: 'placeNews', src: 'placeNews' },
    { id: 'microphone', src: 'microphone', input: ({ context }) => ({ deviceId: context.deviceId }) },
    { id: 'transcript', src: 'transcript', input: ({ context }) => ({ record: context.saved?.record ?? EMPTY }) },
    {
      id: 'savingSession',
      src: 'savingSession',
      input: ({ context }) => ({ session: context.saved?.unsaved ?? null }),
    },
  ],
  on: {
    // A running session keeps its microphone.
    'device.changed': { actions: [withEvent('setDevice'), { type: 'clearErrorOf', params: { subject: 'input' } }] },
    'session.heard': { actions: [withEvent('endSavingSession'), 'offerLast'] },
    'session.saved': { actions: withEvent('notifyParent') },
    'balance.read': { actions: withEvent('setBalance') },
    'permission.granted': { actions: { type: 'clearErrorOf', params: { subject: 'permission' } } },
  },
  type: 'parallel',
  states: {
    session: {
      initial: 'stopped',
      states: {
        stopped,
        active,
        ended: closing('finished'),
        // The next session's words do not continue those of a broken one (CON-12).
        broken: closing('broken'),
      },
    },
    input,
    start,
    screen,
    controls,
    place,
    record: {
      initial: 'deciding',
      states: {
        deciding: { always: [{ guard: 'hasSavedWords', target: 'transcribed' }, { target: 'empty' }] },
        empty: { tags: 'empty', on: { 'tokens.received': { guard: withEvent('hasSpeech'), target: 'transcribed' } } },
        transcribed: { on: { 'record.cleared': 'empty' } },
      },
    },
    // Until its first final words the session before is on offer: this one may fail, or hear nothing. A region, because
    // the session and the record hear them, too.
    offer: { on: { 'tokens.received': { guard: withEvent('hasFirstFinalWords'), actions: 'beginSavingSession' } } },
    playback: {
      initial: 'rewound',
      on: {
        'playback.rewound': { target: '.rewound', actions: 'rewindPlayback' },
        'playback.progressed': { target: '.partway', actions: withEvent('setPlayback') },
        'playback.ended': { target: '.ended', actions: 'endPlayback' },
      },
      states: { rewound: {}, partway: {}, ended: { tags: 'atEnd' } },
    },
  },
});

export type LiveActor = ActorRefFrom<typeof liveMachine>;
export type LiveSnapshot = SnapshotFrom<typeof liveMachine>;
