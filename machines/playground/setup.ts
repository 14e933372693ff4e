import { and, assign, not, raise, sendTo, setup, stateIn } from 'xstate';
import type { ConsoleEvent } from '#contract/events.ts';
import type { StoredFile } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { ToastRequested } from '../root/toasts/machine.ts';
import { failureOf, toFailure } from '../shared/failure.ts';
import { sendToApp, type NavigateRequested } from '../shared/appServices.ts';
import type { PlaygroundMode, PlaygroundRoute } from '../shared/route.ts';
import { probeRecording, loadPlayground, readFile, type OpenedFile, type PlaygroundData } from './actors.ts';
import { codePanelMachine } from './codePanel/machine.ts';
import { asyncModel, obstacleTo, openedIdOf, type PlaygroundContext, type PlaygroundInput } from './context.ts';
import type { Panel, PlaygroundEvent } from './events.ts';
import { libraryMachine, type LibraryNotice } from './library/machine.ts';
import { isForLists, type PlaygroundPush } from './listSync/pushes.ts';
import { liveMachine } from './live/machine.ts';
import { playerMachine } from './player/machine.ts';
import { readerMachine } from './reader/machine.ts';
import type { RemovalItem } from './removal/machine.ts';
import {
  asyncTranslation,
  changeTranslation,
  fitAsyncSettings,
  mayChangeTranslation,
  withAsyncTranslation,
  type AsyncPatch,
  type TranslationEvent,
} from './settings/change.ts';
import { asyncModels, modelById } from './settings/models.ts';
import { buildCreatePayload } from './settings/payload.ts';
import { usageHintMachine } from './usageHint/machine.ts';
import { languageSearchMachine } from './languageSearch/machine.ts';
import { sampleOf } from './sample/list.ts';
import { sampleMachine, type SampleNotice } from './sample/machine.ts';
import { sidePanelMachine } from './sidePanel/machine.ts';
import { isRunning } from './transcription/progress.ts';
import { transcriptionMachine } from './transcription/machine.ts';
import { uploadMachine } from './upload/machine.ts';

type TranscriptionsRead = Extract<LibraryNotice, { type: 'transcriptions.read' }>;

export const setupPlayground = setup({
  types: {} as {
    context: PlaygroundContext;
    input: PlaygroundInput;
    events: PlaygroundEvent;
    tags:
      | 'loading'
      | 'failed'
      | 'async'
      | 'realTime'
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
      live: 'live';
      reader: 'reader';
      codePanel: 'codePanel';
      player: 'player';
      sidePanel: 'sidePanel';
      languageSearch: 'languageSearch';
      usageHint: 'usageHint';
      transcription: 'transcription';
    };
  },
  actors: {
    loadPlayground,
    readFile,
    probeRecording,
    library: libraryMachine,
    upload: uploadMachine,
    sample: sampleMachine,
    live: liveMachine,
    reader: readerMachine,
    codePanel: codePanelMachine,
    player: playerMachine,
    sidePanel: sidePanelMachine,
    languageSearch: languageSearchMachine,
    usageHint: usageHintMachine,
    transcription: transcriptionMachine,
  },
  guards: {
    hasFailedEarly: ({ context }) => context.hasFailedEarly,
    isForLists: ({ context }, { event }: { event: ConsoleEvent }) => isForLists(event, context.projectUuid),
    /** A request that ended, or what one may use. */
    isOfUse: ({ context: { orgUuid, projectUuid } }, { event }: { event: ConsoleEvent }) =>
      (event.type === 'log.added' && event.project_uuid === projectUuid) ||
      ((event.type === 'limits.changed' || event.type === 'billing.changed') && event.organization_uuid === orgUuid),
    isRealTime: (_, { mode }: { mode: PlaygroundMode }) => mode === 'real-time',
    differs: ({ context }, { mode }: { mode: PlaygroundMode }) => mode !== context.route.mode,
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
    isRealTimeFirst: ({ context }) => context.route.mode === 'real-time',
    canTranscribe: and([
      stateIn({ ready: { file: 'loaded' } }),
      ({ context }) => asyncModel(context) !== null && obstacleTo(context) === null,
    ]),
    isOpen: ({ context }, { item }: { item: RemovalItem }) =>
      item.id === (item.kind === 'file' ? (context.route.fileId ?? null) : openedIdOf(context)),
    hasNothing: and([
      ({ context }) => context.route.mode === 'async',
      stateIn({ ready: { file: 'none' } }),
      not(stateIn({ ready: { job: { active: 'creating' } } })),
      not(stateIn({ ready: { job: { active: 'opened' } } })),
    ]),
    hasOpened: ({ context }) => context.fileId !== null || openedIdOf(context) !== null,
  },
  actions: {
    adoptRoute: assign((_, { route }: { route: PlaygroundRoute }) => ({ route })),
    setData: assign(({ context: { saved, settings } }, data: PlaygroundData) => {
      const offered = asyncModels(data.models);
      const model = offered.find(({ id }) => id === saved?.async.modelId) ?? offered[0] ?? null;
      return {
        ...data,
        asyncModelId: model?.id ?? null,
        settings: saved ? fitAsyncSettings(settings, model) : settings,
        failure: null,
      };
    }),
    setFailure: assign(failureOf),
    patchSettings: assign(({ context }, { patch }: { patch: AsyncPatch }) => ({
      settings: { ...context.settings, ...patch },
    })),
    changeTranslation: assign(({ context }, change: TranslationEvent) => ({
      settings: withAsyncTranslation(context.settings, changeTranslation(asyncTranslation(context.settings), change)),
    })),
    selectModel: assign(({ context }, { modelId }: { modelId: string }) => ({
      asyncModelId: modelId,
      settings: fitAsyncSettings(context.settings, modelById(context.models, modelId)),
    })),
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
    passRoute: sendTo('reader', (_, { route }: { route: PlaygroundRoute }) => ({
      type: 'route.changed' as const,
      route,
    })),
    noteEarly: assign({ hasFailedEarly: true }),
    clearEarly: assign({ hasFailedEarly: false }),
    hideLive: sendTo('live', { type: 'screen.taken' }),
    showLive: sendTo('live', { type: 'screen.returned' }),
    openAnew: assign(({ context: { openings } }) => ({ openings: openings + 1 })),
    refreshUsageHint: sendTo('usageHint', { type: 'use.changed' }),
    openSidePanel: sendTo('sidePanel', { type: 'panel.requested' }),
    showHistory: raise({ type: 'history.shown' }),
    sendToApp: sendToApp<ToastRequested | NavigateRequested>(),
  },
});
