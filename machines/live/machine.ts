// Models the live side of the playground: settings and source while stopped, one session at a time, and what was heard.
// Owned by the playground, for as long as it is open; the transcript outlives the sessions.
import { assign, not, or, raise, sendTo, setup, stateIn, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { MARKERS, type LiveToken } from '#contract/live.ts';
import type { Model } from '#contract/models.ts';
import { toFailure } from '../failure.ts';
import {
  changeTranslation, fitLiveSettings, liveTranslation, mayChangeTranslation, withLiveTranslation, type LivePatch, type TranslationEvent,
} from '../settings/change.ts';
import { leaveGuard } from '../leaveGuard.ts';
import { microphoneMachine, type MicrophoneTold } from '../microphone/machine.ts';
import { defaultLiveHints, modelById, realTimeModels } from '../settings/models.ts';
import { buildLiveConfig } from '../settings/payload.ts';
import { LIVE_DEFAULTS, type LiveSettings } from '../settings/types.ts';
import { streamMachine, type StreamInput, type StreamTold } from '../stream/machine.ts';
import { transcriptMachine, type TranscriptEvent } from '../transcript/machine.ts';
import type { PickedFile } from '../upload/actors.ts';
import { clock, type ClockEvent } from './actors.ts';
import { liveError, type LiveError } from './errors.ts';

export type LiveSource = 'microphone' | 'file';

type LiveContext = {
  /** Real-time models that are no alias. */
  models: readonly Model[];
  modelId: string | null;
  settings: LiveSettings;
  source: LiveSource;
  /** Of the microphone; null: the browser's own choice. */
  deviceId: string | null;
  file: PickedFile | null;
  /** The first error of the last session, or why there was none. */
  error: LiveError | null;
  elapsedSeconds: number;
  /** Where the file stands; both 0 before it played. */
  playback: { positionMs: number; durationMs: number };
};

type LiveUserEvent =
  | TranslationEvent
  | { type: 'settings.changed'; patch: LivePatch }
  | { type: 'model.selected'; modelId: string }
  | { type: 'source.selected'; source: LiveSource }
  | { type: 'file.picked'; file: PickedFile }
  | { type: 'run.requested' }
  | { type: 'stop.requested' }
  | { type: 'cancel.requested' }
  | { type: 'finalize.requested' }
  | { type: 'reset.requested' };

/** The machine's word to its own regions. */
type Inner = { type: 'record.cleared' } | { type: 'playback.rewound' };

const REWOUND = { positionMs: 0, durationMs: 0 };

const setupLive = setup({
  types: {} as {
    context: LiveContext;
    input: { models: readonly Model[]; browserLanguages: readonly string[] };
    events: LiveUserEvent | StreamTold | MicrophoneTold | ClockEvent | Inner;
    tags: 'stopped' | 'starting' | 'running' | 'stopping' | 'empty' | 'atEnd';
    children: { stream: 'stream'; transcript: 'transcript'; clock: 'clock'; microphone: 'microphone'; leaveGuard: 'leaveGuard' };
  },
  actors: { stream: streamMachine, transcript: transcriptMachine, microphone: microphoneMachine, clock, leaveGuard },
  guards: {
    isOffered: ({ context }, { modelId }: { modelId: string }) => modelById(context.models, modelId) !== null,
    isAllowed: ({ context }, change: TranslationEvent) => mayChangeTranslation(liveTranslation(context.settings), change, modelOf(context)),
    hasSource: ({ context }) => context.source === 'microphone' || context.file !== null,
    hasBadContext: ({ context }) => (context.source === 'microphone' || context.file !== null) && 'error' in buildLiveConfig(context.settings, modelOf(context)),
    hasError: ({ context }) => context.error !== null,
    hasSpeech: (_, { tokens }: { tokens: readonly LiveToken[] }) => tokens.some(({ text }) => text.trim() !== '' && !MARKERS.has(text)),
    isTranscribed: stateIn({ record: 'transcribed' }),
    canReset: or([stateIn({ record: 'transcribed' }), 'hasError', not(stateIn({ playback: 'rewound' }))]),
    isFinished: (_, { kind }: { kind: string }) => kind === 'finished',
    isCanceled: (_, { kind }: { kind: string }) => kind === 'canceled',
  },
  actions: {
    patchSettings: assign(({ context }, { patch }: { patch: LivePatch }) => ({ settings: { ...context.settings, ...patch } })),
    changeTranslation: assign(({ context }, change: TranslationEvent) => ({
      settings: withLiveTranslation(context.settings, changeTranslation(liveTranslation(context.settings), change)),
    })),
    selectModel: assign(({ context }, { modelId }: { modelId: string }) => ({
      modelId,
      settings: fitLiveSettings(context.settings, modelById(context.models, modelId)),
    })),
    selectSource: assign((_, { source }: { source: LiveSource }) => ({ source })),
    keepDevice: assign((_, { deviceId }: { deviceId: string | null }) => ({ deviceId })),
    keepFile: assign((_, { file }: { file: PickedFile }) => ({ file })),
    keepError: assign((_, { error }: { error: LiveError }) => ({ error })),
    keepContextError: assign(({ context }) => {
      const built = buildLiveConfig(context.settings, modelOf(context));
      return 'error' in built ? { error: built.error } : {};
    }),
    forgetSession: assign({ error: null, elapsedSeconds: 0 }),
    keepElapsed: assign((_, { elapsedSeconds }: { elapsedSeconds: number }) => ({ elapsedSeconds })),
    keepPlayback: assign((_, { positionMs, durationMs }: { positionMs: number; durationMs: number }) => ({ playback: { positionMs, durationMs } })),
    endPlayback: assign(({ context }) => ({ playback: { ...context.playback, positionMs: context.playback.durationMs } })),
    rewindPlayback: assign({ playback: REWOUND }),
    passTokens: sendTo('transcript', (_, { tokens }: { tokens: readonly LiveToken[] }): TranscriptEvent => ({ type: 'tokens.received', tokens })),
    appendSeparator: sendTo('transcript', { type: 'separator.appended' }),
    clearTranscript: sendTo('transcript', { type: 'transcript.cleared' }),
    endTrial: sendTo('microphone', { type: 'trial.dismissed' }),
    stopStream: sendTo('stream', { type: 'stop.requested' }),
    cancelStream: sendTo('stream', { type: 'cancel.requested' }),
    finalizeStream: sendTo('stream', { type: 'finalize.requested' }),
  },
});

// Settings exist only here: while a session is on, these events mean nothing.
const stopped = setupLive.createStateConfig({
  tags: 'stopped',
  on: {
    'settings.changed': { actions: { type: 'patchSettings', params: ({ event }) => event } },
    'translation.toggled': { guard: { type: 'isAllowed', params: ({ event }) => event }, actions: { type: 'changeTranslation', params: ({ event }) => event } },
    'targetLanguage.selected': { guard: { type: 'isAllowed', params: ({ event }) => event }, actions: { type: 'changeTranslation', params: ({ event }) => event } },
    'languageA.selected': { guard: { type: 'isAllowed', params: ({ event }) => event }, actions: { type: 'changeTranslation', params: ({ event }) => event } },
    'languageB.selected': { guard: { type: 'isAllowed', params: ({ event }) => event }, actions: { type: 'changeTranslation', params: ({ event }) => event } },
    'model.selected': { guard: { type: 'isOffered', params: ({ event }) => event }, actions: { type: 'selectModel', params: ({ event }) => event } },
    'source.selected': { actions: { type: 'selectSource', params: ({ event }) => event } },
    'file.picked': { actions: [{ type: 'keepFile', params: ({ event }) => event }, raise({ type: 'playback.rewound' })] },
    'run.requested': [
      { guard: 'hasBadContext', actions: 'keepContextError' },
      { guard: 'hasSource', target: 'active', actions: ['forgetSession', 'endTrial'] },
    ],
    'reset.requested': { guard: 'canReset', actions: ['clearTranscript', 'forgetSession', raise({ type: 'record.cleared' }), raise({ type: 'playback.rewound' })] },
  },
});

const active = setupLive.createStateConfig({
  invoke: [
    { id: 'leaveGuard', src: 'leaveGuard', onError: {} },
    {
      id: 'stream',
      src: 'stream',
      input: ({ context }) => streamInput(context),
      onDone: [
        { guard: { type: 'isFinished', params: ({ event }) => event.output }, target: 'ended' },
        { guard: { type: 'isCanceled', params: ({ event }) => event.output }, target: 'stopped' },
        {
          target: 'stopped',
          actions: { type: 'keepError', params: ({ event: { output } }) => ({ error: output.kind === 'error' ? output.error : liveError('websocket_error') }) },
        },
      ],
      onError: { target: 'stopped', actions: { type: 'keepError', params: ({ event }) => ({ error: liveError('websocket_error', toFailure(event.error).message) }) } },
    },
  ],
  initial: 'starting',
  on: {
    'cancel.requested': { actions: 'cancelStream' },
    'stream.finishing': '.stopping',
    'tokens.received': { actions: { type: 'passTokens', params: ({ event }) => event } },
  },
  states: {
    starting: { tags: 'starting', on: { 'stop.requested': { actions: 'stopStream' }, 'stream.opened': 'running' } },
    running: {
      tags: 'running',
      invoke: { id: 'clock', src: 'clock', onError: {} },
      on: {
        'stop.requested': { actions: 'stopStream' },
        'finalize.requested': { guard: 'isTranscribed', actions: 'finalizeStream' },
        'clock.ticked': { actions: { type: 'keepElapsed', params: ({ event }) => event } },
      },
    },
    stopping: { tags: 'stopping' },
  },
});

export const liveMachine = setupLive.createMachine({
  id: 'live',
  context: ({ input }) => {
    const models = realTimeModels(input.models);
    const model = models[0] ?? null;
    return {
      models,
      modelId: model?.id ?? null,
      settings: { ...LIVE_DEFAULTS, languageHints: defaultLiveHints(input.browserLanguages, model) },
      source: 'microphone',
      deviceId: null,
      file: null,
      error: null,
      elapsedSeconds: 0,
      playback: REWOUND,
    };
  },
  invoke: [
    // Without it the browser chooses.
    { id: 'microphone', src: 'microphone', onError: {} },
    {
    id: 'transcript',
    src: 'transcript',
    // A session that nobody writes down makes no sense.
    onError: { target: '.session.stopped', actions: { type: 'keepError', params: ({ event }) => ({ error: liveError('websocket_error', toFailure(event.error).message) }) } },
    },
  ],
  // A session that is on keeps the microphone that it began with.
  on: { 'device.changed': { actions: { type: 'keepDevice', params: ({ event }) => event } } },
  type: 'parallel',
  states: {
    session: {
      initial: 'stopped',
      states: {
        stopped,
        active,
        // A session that heard nothing leaves no trace.
        ended: { tags: 'stopped', always: [{ guard: 'isTranscribed', target: 'stopped', actions: 'appendSeparator' }, { target: 'stopped' }] },
      },
    },
    record: {
      initial: 'empty',
      states: {
        empty: { tags: 'empty', on: { 'tokens.received': { guard: { type: 'hasSpeech', params: ({ event }) => event }, target: 'transcribed' } } },
        transcribed: { on: { 'record.cleared': 'empty' } },
      },
    },
    playback: {
      initial: 'rewound',
      on: {
        'playback.rewound': { target: '.rewound', actions: 'rewindPlayback' },
        'playback.progressed': { target: '.partway', actions: { type: 'keepPlayback', params: ({ event }) => event } },
        'playback.ended': { target: '.ended', actions: 'endPlayback' },
      },
      states: { rewound: {}, partway: {}, ended: { tags: 'atEnd' } },
    },
  },
});

function modelOf({ models, modelId }: LiveContext): Model | null {
  return modelById(models, modelId);
}

function streamInput(context: LiveContext): StreamInput {
  const built = buildLiveConfig(context.settings, modelOf(context));
  const config = 'config' in built ? built.config : {};
  if (context.source === 'microphone' || !context.file) return { audio: { source: 'microphone', deviceId: context.deviceId }, config };
  const { positionMs, durationMs } = context.playback;
  return { audio: { source: 'file', file: context.file, fromMs: positionMs < durationMs ? positionMs : 0 }, config };
}

export type LiveActor = ActorRefFrom<typeof liveMachine>;
export type LiveSnapshot = SnapshotFrom<typeof liveMachine>;
