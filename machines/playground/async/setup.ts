import { and, assign, not, raise, sendTo, setup, stateIn } from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import { sendToApp, type NavigateRequested, type ToastRequested } from '../../shared/appServices.ts';
import { toFailure } from '../../shared/failure.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import type { PlaygroundRoute } from '../../shared/route.ts';
import { libraryMachine, type LibraryNotice } from '../library/machine.ts';
import type { PlaygroundPush } from '../listSync/pushes.ts';
import { playerMachine } from '../player/machine.ts';
import type { RemovalItem } from '../removal/machine.ts';
import { sampleOf } from '../sample/list.ts';
import { sampleMachine, type SampleNotice } from '../sample/machine.ts';
import {
  asyncTranslation,
  changeTranslation,
  fitAsyncSettings,
  mayChangeTranslation,
  withAsyncTranslation,
  type AsyncPatch,
  type TranslationEvent,
} from '../settings/change.ts';
import { asyncModels, modelById } from '../settings/models.ts';
import { buildCreatePayload } from '../settings/payload.ts';
import { modelAskedFor, requestLike, settingsLike } from '../settings/reuse.ts';
import type { PanelRequested } from '../sidePanel/machine.ts';
import { isRunning } from '../transcription/progress.ts';
import { transcriptionMachine, type TranscriptionNotice } from '../transcription/machine.ts';
import { uploadMachine } from '../upload/machine.ts';
import type { BalanceRead, UseChanged } from '../usageHint/machine.ts';
import { probeRecording, readFile, type OpenedFile } from './actors.ts';
import { asyncModel, obstacleTo, openedIdOf, type AsyncContext, type AsyncInput } from './context.ts';
import type { RequestOpened } from '../events.ts';
import type { AsyncEvent, Panel } from './events.ts';

type TranscriptionRefused = Extract<TranscriptionNotice, { type: 'transcription.refused' }>;
type RecordingReplaced = Extract<AsyncEvent, { type: 'recording.replaced' }>;
type FileUploaded = Extract<AsyncEvent, { type: 'file.uploaded' }>;
type TranscriptionsRead = Extract<LibraryNotice, { type: 'transcriptions.read' }>;

const mayRepeat = ({ isExhausted, models }: AsyncContext, transcription: Transcription): boolean =>
  !isExhausted && requestLike(models, transcription) !== null;

/** The failed transcription whose recording the opened file replaces, with that file. */
function likeOf({ like, fileId }: AsyncContext): Transcription {
  if (!like) throw new Error('The file replaces nothing.');
  return { ...like, file_id: fileId };
}

export const setupAsync = setup({
  types: {} as {
    context: AsyncContext;
    input: AsyncInput;
    events: AsyncEvent;
    tags:
      | 'history'
      | 'fileLoading'
      | 'filePlayable'
      | 'fileFailed'
      | 'fileUnplayable'
      | 'fileUnreadable'
      | 'creating'
      | 'transcribing'
      | 'refused';
    children: {
      library: 'library';
      upload: 'upload';
      sample: 'sample';
      player: 'player';
      transcription: 'transcription';
    };
  },
  actors: {
    readFile,
    probeRecording,
    library: libraryMachine,
    upload: uploadMachine,
    sample: sampleMachine,
    player: playerMachine,
    transcription: transcriptionMachine,
  },
  guards: {
    isOffered: ({ context }, { modelId }: { modelId: string }) =>
      asyncModels(context.models).some((model) => model.id === modelId),
    isAllowed: ({ context }, change: TranslationEvent) =>
      mayChangeTranslation(asyncTranslation(context.settings), change, asyncModel(context)),
    // The same ids again (a change of mode) leave the panel as the user put it.
    opensTranscription: ({ context }, { route }: { route: PlaygroundRoute }) =>
      route.transcriptionId !== undefined && route.transcriptionId !== context.route.transcriptionId,
    showsPanel: (_, { route, panel }: { route: PlaygroundRoute; panel: Panel }) => route.panel === panel,
    opensElse: ({ context }, { route }: { route: PlaygroundRoute }) =>
      route.transcriptionId === undefined &&
      (context.route.transcriptionId !== undefined || route.fileId !== context.route.fileId),
    isOtherFile: ({ context }, { route }: { route: PlaygroundRoute }) =>
      route.fileId !== undefined && route.fileId !== context.fileId,
    // The file of a transcription stays, the one of another goes until that one tells its own.
    leavesFile: ({ context }, { route }: { route: PlaygroundRoute }) =>
      route.fileId === undefined &&
      context.fileId !== null &&
      (route.transcriptionId === undefined || route.transcriptionId !== openedIdOf(context)),
    isFileOfOpened: ({ context }, { transcription }: { transcription: Transcription }) =>
      transcription.file_id !== null && transcription.file_id !== context.fileId,
    isRunning: (_, { transcription }: { transcription: Transcription }) => isRunning(transcription),
    isOtherJob: ({ context }, { route }: { route: PlaygroundRoute }) =>
      route.transcriptionId !== undefined &&
      route.transcriptionId !== openedIdOf(context) &&
      route.transcriptionId !== context.route.transcriptionId,
    // A transcription that is being created belongs to its file: it goes when the file does.
    leavesJob: ({ context }, { route }: { route: PlaygroundRoute }) =>
      route.transcriptionId === undefined &&
      (openedIdOf(context) !== null || (route.fileId ?? null) !== context.fileId),
    holdsOpened: ({ context }, { transcriptions }: TranscriptionsRead) =>
      transcriptions.some(({ id }) => id === openedIdOf(context)),
    opensByRoute: ({ context }) => context.route.transcriptionId !== undefined,
    asksForHistory: ({ context: { route } }) =>
      route.panel === 'history' || (route.panel === undefined && route.transcriptionId !== undefined),
    hasFileInRoute: ({ context }) => context.route.fileId !== undefined,
    canTranscribe: and([
      stateIn({ file: 'loaded' }),
      ({ context }) => asyncModel(context) !== null && obstacleTo(context) === null && !context.isExhausted,
    ]),
    replaces: ({ context }, { like }: FileUploaded) => context.route.mode === 'async' && like !== undefined,
    canRepeat: ({ context }, { transcription }: { transcription: Transcription }) => mayRepeat(context, transcription),
    canRepeatLike: ({ context }) => mayRepeat(context, likeOf(context)),
    isForMoney: (_, { failure }: TranscriptionRefused) => failure.limit?.name === 'balance',
    // The server also refuses while some money is left, but too little.
    hasMoneyAgain: ({ context }, { isExhausted }: BalanceRead) => context.isExhausted && !isExhausted,
    isOpen: ({ context }, { item }: { item: RemovalItem }) =>
      item.id === (item.kind === 'file' ? (context.route.fileId ?? null) : openedIdOf(context)),
    /** Whether the address shows this side, and not the live one. */
    isShown: ({ context }) => context.route.mode === 'async',
    hasNothing: and([
      'isShown',
      stateIn({ file: 'none' }),
      not(stateIn({ job: { active: 'creating' } })),
      not(stateIn({ job: { active: 'opened' } })),
    ]),
    hasOpened: ({ context }) => context.fileId !== null || openedIdOf(context) !== null,
  },
  actions: {
    adoptRoute: assign((_, { route }: { route: PlaygroundRoute }) => ({ route })),
    patchSettings: assign(({ context }, { patch }: { patch: AsyncPatch }) => ({
      settings: { ...context.settings, ...patch },
    })),
    changeTranslation: assign(({ context }, change: TranslationEvent) => ({
      settings: withAsyncTranslation(context.settings, changeTranslation(asyncTranslation(context.settings), change)),
    })),
    selectModel: assign(({ context }, { modelId }: { modelId: string }) => ({
      modelId,
      settings: fitAsyncSettings(context.settings, modelById(context.models, modelId)),
    })),
    reuseRequest: assign(({ context }, { transcription }: { transcription: Transcription }) => {
      const model = modelAskedFor(context.models, transcription) ?? asyncModel(context);
      return { modelId: model?.id ?? null, settings: settingsLike(transcription, model) };
    }),
    openRequest: assign(({ context: { models } }, { request }: RequestOpened) => {
      if (request === null) return {};
      const model = modelAskedFor(models, request) ?? asyncModels(models)[0] ?? null;
      return { modelId: model?.id ?? null, settings: settingsLike(request, model) };
    }),
    uploadReplacement: sendTo('upload', (_, { file, transcription }: RecordingReplaced) => ({
      type: 'file.chosen' as const,
      file,
      like: transcription,
    })),
    setLike: assign((_, { like }: FileUploaded) => ({ like: like ?? null })),
    repeatLike: raise(({ context }) => ({ type: 'request.repeated' as const, transcription: likeOf(context) })),
    reuseLike: raise(({ context }) => ({ type: 'request.reused' as const, transcription: likeOf(context) })),
    aimAtFile: assign((_, { fileId }: { fileId: string | null }) => ({
      fileId,
      file: null,
      url: null,
      fileFailure: null,
    })),
    aimAtStored: assign((_, { file }: { file: StoredFile }) => ({
      fileId: file.id,
      file,
      url: null,
      fileFailure: null,
    })),
    clearFileFailure: assign({ fileFailure: null }),
    setOpenedFile: assign((_, { file, url }: OpenedFile) => ({ file, url })),
    setFileFailure: assign((_, { error }: { error: unknown }) => ({ fileFailure: toFailure(error) })),
    setSample: assign(({ context: { settings } }, { name }: SampleNotice) => ({
      settings: { ...settings, ...sampleOf(name).settings },
    })),
    openJob: assign((_, { id }: { id: string }) => ({ job: { id } })),
    createJob: assign(({ context }) => {
      const model = asyncModel(context);
      if (!model || !context.fileId) throw new Error('Nothing to transcribe.');
      return { job: { create: buildCreatePayload(context.settings, model, context.fileId) } };
    }),
    repeatJob: assign(({ context }, { transcription }: { transcription: Transcription }) => {
      const create = requestLike(context.models, transcription);
      if (!create) throw new Error('Nothing to transcribe again.');
      return { job: { create } };
    }),
    setBalance: assign((_, { isExhausted }: BalanceRead) => ({ isExhausted })),
    clearJob: assign({ job: null }),
    listFile: sendTo('library', (_, { file }: { file: StoredFile }) => ({ type: 'file.stored' as const, file })),
    listTranscription: sendTo('library', (_, { transcription }: { transcription: Transcription }) => ({
      type: 'transcription.stored' as const,
      transcription,
    })),
    updateListed: sendTo('library', (_, { transcription }: { transcription: Transcription }) => ({
      type: 'transcription.updated' as const,
      transcription,
    })),
    updateJob: sendTo('transcription', ({ context }, { transcriptions }: TranscriptionsRead) => {
      const transcription = transcriptions.find(({ id }) => id === openedIdOf(context));
      if (!transcription) throw new Error('The transcription on show was not read.');
      return { type: 'transcription.read' as const, transcription };
    }),
    passPush: sendTo('library', (_, push: PlaygroundPush) => push),
    showHistory: raise({ type: 'history.shown' }),
    notifyParent: notifyParent<UseChanged | PanelRequested>(),
    sendToApp: sendToApp<NavigateRequested | ToastRequested>(),
  },
});
