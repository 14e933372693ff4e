// Models the live side of the playground: settings and source while stopped, one session at a time, its transcript.
// Owned by the playground, while it is open; the workspace keeps the transcript after that (saved.ts).
import { raise, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { LIVE_SAMPLE } from '../sample/list.ts';
import { liveError } from './errors.ts';
import { initialContext, setupLive, streamInput, transcriptInput } from './setup.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';

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
      { guard: 'canRun', target: 'active', actions: ['clearSession', 'closeTrial', 'beginSavingSession'] },
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
    starting: { tags: 'starting', on: { 'stop.requested': { actions: 'stopStream' }, 'stream.opened': 'running' } },
    running,
    stopping: { tags: 'stopping' },
  },
});

/** Whether the picked file can be played, which a run needs (LIV-10). */
const input = setupLive.createStateConfig({
  initial: 'deciding',
  on: {
    'file.adopted': { target: '.loading', actions: 'clearAutoStart' },
    'sampleFile.requested': { target: '.fetching', actions: 'setAutoStart' },
  },
  states: {
    deciding: { always: [{ guard: 'hasFile', target: 'loading' }, { target: 'none' }] },
    none: {},
    fetching: {
      tags: 'fileLoading',
      entry: 'clearFileProblem',
      invoke: {
        id: 'fetchSample',
        src: 'fetchSample',
        input: { name: LIVE_SAMPLE },
        onDone: {
          target: 'loading',
          actions: [
            { type: 'setFile', params: ({ event }) => ({ file: event.output }) },
            raise({ type: 'playback.rewound' }),
          ],
        },
        onError: { target: 'unplayable', actions: withEvent('setFileProblem') },
      },
    },
    loading: {
      tags: 'fileLoading',
      entry: 'clearFileProblem',
      invoke: {
        id: 'probeFile',
        src: 'probeFile',
        input: ({ context }) => {
          if (!context.file) throw new Error('No file to play.');
          return { file: context.file };
        },
        onDone: [
          {
            guard: 'autoStarts',
            target: 'playable',
            actions: ['clearAutoStart', raise({ type: 'run.requested' })],
          },
          'playable',
        ],
        onError: { target: 'unplayable', actions: withEvent('setFileProblem') },
      },
    },
    playable: {},
    unplayable: { tags: 'fileFailed' },
  },
});

/** Whether the live tab is on screen. If not, a session stops and none may begin. */
const screen = setupLive.createStateConfig({
  initial: 'shown',
  on: {
    // Also while `taken`, because a trial of the microphone may have begun.
    'screen.taken': { target: '.taken', actions: ['endTrial', 'clearAutoStart', raise({ type: 'stop.requested' })] },
  },
  states: {
    shown: {},
    taken: { tags: 'taken', on: { 'screen.returned': 'shown' } },
  },
});

/** Whether the session's controls are in the document. A separate region, because a failed part may return first. */
const controls = setupLive.createStateConfig({
  initial: 'standing',
  states: {
    standing: {
      on: {
        'controls.gone': { target: 'gone', actions: ['endTrial', 'clearAutoStart', raise({ type: 'stop.requested' })] },
      },
    },
    gone: { tags: 'taken', on: { 'controls.restored': 'standing' } },
  },
});

export const liveMachine = setupLive.createMachine({
  id: 'live',
  context: ({ input }) => initialContext(input),
  invoke: [
    { id: 'microphone', src: 'microphone', input: ({ context }) => ({ deviceId: context.deviceId }) },
    { id: 'transcript', src: 'transcript', input: ({ context }) => transcriptInput(context) },
    {
      id: 'savingSession',
      src: 'savingSession',
      input: ({ context }) => ({ session: context.saved?.unsaved ?? null }),
    },
  ],
  on: {
    // A running session keeps its microphone.
    'device.changed': { actions: [withEvent('setDevice'), { type: 'clearErrorOf', params: { subject: 'input' } }] },
    'session.heard': { actions: withEvent('endSavingSession') },
    'session.saved': { actions: withEvent('notifyParent') },
    'permission.granted': { actions: { type: 'clearErrorOf', params: { subject: 'permission' } } },
  },
  type: 'parallel',
  states: {
    session: {
      initial: 'stopped',
      states: {
        stopped,
        active,
        // A session without words leaves no trace.
        ended: {
          entry: notifyUseChanged,
          always: [
            {
              guard: 'isTranscribed',
              target: 'stopped',
              actions: { type: 'closeTranscript', params: { how: 'finished' } },
            },
            { target: 'stopped' },
          ],
        },
        // The words stay, and the next session's words do not continue them (CON-12).
        broken: {
          entry: notifyUseChanged,
          always: [
            {
              guard: 'isTranscribed',
              target: 'stopped',
              actions: { type: 'closeTranscript', params: { how: 'broken' } },
            },
            { target: 'stopped' },
          ],
        },
      },
    },
    input,
    screen,
    controls,
    record: {
      initial: 'deciding',
      states: {
        deciding: { always: [{ guard: 'hasSavedWords', target: 'transcribed' }, { target: 'empty' }] },
        empty: { tags: 'empty', on: { 'tokens.received': { guard: withEvent('hasSpeech'), target: 'transcribed' } } },
        transcribed: { on: { 'record.cleared': 'empty' } },
      },
    },
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
