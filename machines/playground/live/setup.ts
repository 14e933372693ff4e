import { and, assign, not, or, sendTo, setup, stateIn } from 'xstate';
import type { LiveToken } from '#contract/live.ts';
import type { Model } from '#contract/models.ts';
import { toFailure } from '../../shared/failure.ts';
import type { PlaceEvent } from '../../shared/form/types.ts';
import { placeNews, unsavedWork } from '../../shared/unsavedWork.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { microphoneMachine, type MicrophoneNotice } from '../microphone/machine.ts';
import {
  changeTranslation,
  fitLiveSettings,
  liveTranslation,
  mayChangeTranslation,
  withLiveTranslation,
  type LivePatch,
  type TranslationEvent,
} from '../settings/change.ts';
import { defaultLiveHints, modelById, realTimeModels } from '../settings/models.ts';
import { obstacleOf, type Obstacle } from '../settings/obstacles.ts';
import { buildLiveConfig } from '../settings/payload.ts';
import { liveSettingsLike } from '../settings/reuse.ts';
import { LIVE_DEFAULTS } from '../settings/types.ts';
import { streamMachine, type StreamInput, type StreamNotice } from '../stream/machine.ts';
import { transcriptMachine, type TranscriptEvent, type TranscriptNotice } from '../transcript/machine.ts';
import { finalLength } from '../transcript/record.ts';
import type { PickedFile } from '../upload/actors.ts';
import { savingSessionMachine, type SavingSessionEvent, type SavingSessionNotice } from './savingSession/machine.ts';
import { sessionToSave } from './savingSession/sessionToSave.ts';
import type { BalanceRead, UseChanged } from '../usageHint/machine.ts';
import type { RequestOpened } from '../events.ts';
import type { ControlsEvent, Inner, LiveUserEvent, ScreenEvent } from './events.ts';
import { clock, fetchSample, probeFile, type ClockEvent } from './actors.ts';
import { inputLevelMachine, type SoundMeasured } from './inputLevel/machine.ts';
import { beginsWords, hasHeard, isSpeech, NO_TALLY, withSent, withSound, withTokens, withUnsent } from './tally.ts';
import { advised, explained, isAbout, liveError, type ErrorSubject, type LiveError } from './errors.ts';
import type { SavedLive, LiveSource } from './types.ts';

export type LiveInput = {
  models: readonly Model[];
  browserLanguages: readonly string[];
  /** State from the last visit to this project's playground. */
  saved?: SavedLive | null;
};

export type LiveContext = Omit<SavedLive, 'record' | 'unsaved'> & {
  /** Real-time models that are no alias. */
  models: readonly Model[];
  /** Why the picked file cannot be played. */
  fileProblem: LiveError | null;
  /** The first error of the last session, or why it could not begin. */
  error: LiveError | null;
  /** Position and length of the file; both 0 before it has played. */
  playback: { positionMs: number; durationMs: number };
  saved: SavedLive | null;
  /** Whether the balance is used up; false while unknown. */
  isExhausted: boolean;
  /** Why the place is gone that the playground is of, a sentence; null while it is there. */
  removalReason: string | null;
};

type TokensReceived = Extract<StreamNotice, { type: 'tokens.received' }>;

const REWOUND = { positionMs: 0, durationMs: 0 };
/** The answer to a finalize. */
const FINALIZED = '<fin>';
/** Longest wait for the answer to a finalize, milliseconds. */
export const FINALIZE_LIMIT_MS = 5000;

const isReady = or([
  ({ context }: { context: LiveContext }) => context.source === 'microphone',
  stateIn({ input: 'playable' }),
]);

export const setupLive = setup({
  types: {} as {
    context: LiveContext;
    input: LiveInput;
    events:
      | LiveUserEvent
      | ScreenEvent
      | ControlsEvent
      | PlaceEvent
      | StreamNotice
      | TranscriptNotice
      | SavingSessionNotice
      | MicrophoneNotice
      | ClockEvent
      | BalanceRead
      | RequestOpened
      | Inner;
    tags:
      | 'stopped'
      | 'starting'
      | 'running'
      | 'finalizing'
      | 'stopping'
      | 'empty'
      | 'atEnd'
      | 'fileLoading'
      | 'fileFailed'
      | 'taken'
      | 'placeRemoved';
    children: {
      stream: 'stream';
      transcript: 'transcript';
      clock: 'clock';
      inputLevel: 'inputLevel';
      savingSession: 'savingSession';
      microphone: 'microphone';
      unsavedWork: 'unsavedWork';
      placeNews: 'placeNews';
      probeFile: 'probeFile';
      fetchSample: 'fetchSample';
    };
  },
  actors: {
    stream: streamMachine,
    transcript: transcriptMachine,
    microphone: microphoneMachine,
    clock,
    inputLevel: inputLevelMachine,
    savingSession: savingSessionMachine,
    unsavedWork,
    placeNews,
    probeFile,
    fetchSample,
  },
  delays: { finalizeLimit: FINALIZE_LIMIT_MS },
  guards: {
    isOffered: ({ context }, { modelId }: { modelId: string }) => modelById(context.models, modelId) !== null,
    isAllowed: ({ context }, change: TranslationEvent) =>
      mayChangeTranslation(liveTranslation(context.settings), change, modelOf(context)),
    canRun: and(['isShown', isReady, ({ context }) => obstacleTo(context) === null && !context.isExhausted]),
    hasBadContext: and([
      'isShown',
      isReady,
      ({ context }) => obstacleTo(context) === null && 'error' in buildLiveConfig(context.settings, modelOf(context)),
    ]),
    isShown: stateIn({ screen: 'shown', controls: 'standing', place: 'there' }),
    hasFile: ({ context }) => context.file !== null,
    isMicrophone: (_, { source }: { source: LiveSource }) => source === 'microphone',
    hasError: ({ context }) => context.error !== null,
    hasSavedWords: ({ context }) => context.saved !== null && finalLength(context.saved.record) > 0,
    hasSpeech: (_, { tokens }: { tokens: readonly LiveToken[] }) => isSpeech(tokens),
    hasFirstFinalWords: ({ context }, { tokens }: { tokens: readonly LiveToken[] }) =>
      beginsWords(context.tally, tokens),
    isFinalized: (_, { tokens }: { tokens: readonly LiveToken[] }) => tokens.some(({ text }) => text === FINALIZED),
    isTranscribed: stateIn({ record: 'transcribed' }),
    canReset: or([stateIn({ record: 'transcribed' }), 'hasError', not(stateIn({ playback: 'rewound' }))]),
    isFinished: (_, { kind }: { kind: string }) => kind === 'finished',
    isCanceled: (_, { kind }: { kind: string }) => kind === 'canceled',
  },
  actions: {
    patchSettings: assign(({ context }, { patch }: { patch: LivePatch }) => ({
      settings: { ...context.settings, ...patch },
    })),
    changeTranslation: assign(({ context }, change: TranslationEvent) => ({
      settings: withLiveTranslation(context.settings, changeTranslation(liveTranslation(context.settings), change)),
    })),
    selectModel: assign(({ context }, { modelId }: { modelId: string }) => ({
      modelId,
      settings: fitLiveSettings(context.settings, modelById(context.models, modelId)),
    })),
    openRequest: assign(({ context: { models } }, { request }: RequestOpened) => {
      if (request === null) return {};
      const model = modelById(models, request.model) ?? models[0] ?? null;
      return { modelId: model?.id ?? null, settings: liveSettingsLike(request, model) };
    }),
    selectSource: assign((_, { source }: { source: LiveSource }) => ({ source })),
    setDevice: assign((_, { deviceId }: { deviceId: string | null }) => ({ deviceId })),
    setFile: assign((_, { file }: { file: PickedFile }) => ({ file })),
    setFileProblem: assign((_, { error }: { error: unknown }) => ({
      fileProblem: liveError('input_file_error', toFailure(error).message),
    })),
    setRemovalReason: assign((_, { reason }: { reason: string }) => ({ removalReason: reason })),
    clearRemovalReason: assign({ removalReason: null }),
    clearFileProblem: assign({ fileProblem: null }),
    setError: assign(({ context }, { error }: { error: LiveError }) => ({
      error: advised(explained(error, context.settings.context, modelOf(context)), hasHeard(context.tally)),
    })),
    clearErrorOf: assign(({ context: { error } }, { subject }: { subject: ErrorSubject }) => ({
      error: error && isAbout(error, subject) ? null : error,
    })),
    // A refusal for want of money goes once money comes. The server also refuses while some is left, but too little.
    setBalance: assign(({ context }, { isExhausted }: BalanceRead) => ({
      isExhausted,
      error: context.isExhausted && !isExhausted && context.error?.limit?.name === 'balance' ? null : context.error,
    })),
    setContextError: assign(({ context }) => {
      const built = buildLiveConfig(context.settings, modelOf(context));
      return 'error' in built ? { error: explained(built.error, context.settings.context, modelOf(context)) } : {};
    }),
    clearSession: assign({ error: null, elapsedSeconds: 0, tally: NO_TALLY, offersLast: false }),
    offerLast: assign({ offersLast: true }),
    countSound: assign(({ context }, { durationMs }: SoundMeasured) => ({
      tally: withSound(context.tally, durationMs),
    })),
    countUnsent: assign(({ context }, { durationMs }: SoundMeasured) => ({
      tally: withUnsent(context.tally, durationMs),
    })),
    countSent: assign(({ context }) => ({ tally: withSent(context.tally) })),
    countTokens: assign(({ context }, { tokens, costUsd, requestId }: TokensReceived) => ({
      tally: {
        ...withTokens(context.tally, tokens),
        ...(costUsd === undefined ? {} : { costUsd }),
        ...(requestId === undefined ? {} : { requestId }),
      },
    })),
    passSound: sendTo('inputLevel', (_, sound: SoundMeasured) => sound),
    setElapsed: assign((_, { elapsedSeconds }: { elapsedSeconds: number }) => ({ elapsedSeconds })),
    setPlayback: assign((_, { positionMs, durationMs }: { positionMs: number; durationMs: number }) => ({
      playback: { positionMs, durationMs },
    })),
    endPlayback: assign(({ context }) => ({
      playback: { ...context.playback, positionMs: context.playback.durationMs },
    })),
    rewindPlayback: assign({ playback: REWOUND }),
    passTokens: sendTo('transcript', (_, { tokens }: TokensReceived): TranscriptEvent => ({
      type: 'tokens.received',
      tokens,
    })),
    closeTranscript: sendTo('transcript', (_, { how }: { how: 'finished' | 'broken' }): TranscriptEvent => ({
      type: 'session.closed',
      how,
    })),
    beginSavingSession: sendTo('savingSession', (): SavingSessionEvent => ({ type: 'session.began' })),
    endSavingSession: sendTo('savingSession', ({ context }, { tokens }: TranscriptNotice): SavingSessionEvent => ({
      type: 'session.ended',
      session: sessionToSave(context, tokens),
    })),
    clearSavingSession: sendTo('savingSession', (): SavingSessionEvent => ({ type: 'record.cleared' })),
    notifyParent: notifyParent<SavingSessionNotice | UseChanged>(),
    clearTranscript: sendTo('transcript', { type: 'transcript.cleared' }),
    endTrial: sendTo('microphone', { type: 'trial.dismissed' }),
    closeTrial: sendTo('microphone', { type: 'session.began' }),
    stopStream: sendTo('stream', { type: 'stop.requested' }),
    cancelStream: sendTo('stream', { type: 'cancel.requested' }),
    finalizeStream: sendTo('stream', { type: 'finalize.requested' }),
  },
});

export function modelOf({ models, modelId }: Pick<LiveContext, 'models' | 'modelId'>): Model | null {
  return modelById(models, modelId);
}

/** The setting that keeps a session from beginning; null if there is none. */
export function obstacleTo(context: Pick<LiveContext, 'models' | 'modelId' | 'settings'>): Obstacle | null {
  return obstacleOf(context.settings.context, liveTranslation(context.settings), modelOf(context));
}

export function initialContext({ models: all, browserLanguages, saved = null }: LiveInput): LiveContext {
  const models = realTimeModels(all);
  const model = modelById(models, saved?.modelId ?? null) ?? models[0] ?? null;
  const fresh = { ...LIVE_DEFAULTS, languageHints: defaultLiveHints(browserLanguages, model) };
  return {
    models,
    modelId: model?.id ?? null,
    settings: saved ? fitLiveSettings(saved.settings, model) : fresh,
    source: saved?.source ?? 'microphone',
    deviceId: saved?.deviceId ?? null,
    file: saved?.file ?? null,
    fileProblem: null,
    error: null,
    elapsedSeconds: saved?.elapsedSeconds ?? 0,
    tally: saved?.tally ?? NO_TALLY,
    playback: REWOUND,
    saved,
    offersLast: saved?.offersLast ?? false,
    isExhausted: false,
    removalReason: null,
  };
}

export function streamInput(context: LiveContext): StreamInput {
  const built = buildLiveConfig(context.settings, modelOf(context));
  const config = 'config' in built ? built.config : {};
  if (context.source === 'microphone' || !context.file)
    return { audio: { source: 'microphone', deviceId: context.deviceId }, config };
  const { positionMs, durationMs } = context.playback;
  return { audio: { source: 'file', file: context.file, fromMs: positionMs < durationMs ? positionMs : 0 }, config };
}
