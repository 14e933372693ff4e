import { and, assign, not, raise, sendTo, setup, stateIn } from 'xstate';
import type { StoredFile } from '#contract/files.ts';
import type { Model } from '#contract/models.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import { type Failure, failureOf, toFailure } from '../shared/failure.ts';
import { codePanelMachine } from './codePanel/machine.ts';
import { displayMachine, type DisplayContext, type DisplayTold } from './reader/display/machine.ts';
import { exporterMachine } from './reader/exporter/machine.ts';
import { liveMachine } from './live/machine.ts';
import type { ConsoleEvent } from '#contract/events.ts';
import { loadedIn } from './following/loaded.ts';
import type { Listed, ListsRead, Loaded } from './following/actors.ts';
import { followingMachine, type FollowingTold } from './following/machine.ts';
import { createPagedList } from '../shared/pagedList/machine.ts';
import type { ToastRequested } from '../root/toasts/machine.ts';
import { announce, type NavigateRequested } from '../shared/residents.ts';
import { removalMachine, type RemovalItem, type RemovalTold } from './removal/machine.ts';
import { REMOVAL_TOASTS } from './removal/texts.ts';
import { playerMachine, type PlayerTold } from './player/machine.ts';
import type { PlaygroundMode, PlaygroundRoute } from '../shared/route.ts';
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
import { obstacleOf, type Obstacle } from './settings/obstacles.ts';
import { buildCreatePayload } from './settings/payload.ts';
import { ASYNC_DEFAULTS, type AsyncSettings } from './settings/types.ts';
import { searchMachine } from './reader/search/machine.ts';
import { selectionMachine } from './reader/selection/machine.ts';
import { sidePanelMachine } from './sidePanel/machine.ts';
import { isRunning } from './transcription/texts.ts';
import { transcriptionMachine, type TranscriptionInput, type TranscriptionTold } from './transcription/machine.ts';
import type { PickedFile } from './upload/actors.ts';
import type { DropProblem } from './upload/texts.ts';
import { uploadMachine, type UploadTold } from './upload/machine.ts';
import type { PlaygroundKept } from './types.ts';
import { judgeFile, loadPlayground, readFile, type Addresses, type OpenedFile, type PlaygroundData } from './actors.ts';

type Panel = 'settings' | 'history';

export type PlaygroundInput = {
  orgUuid: string;
  projectUuid: string;
  route: PlaygroundRoute;
  /** Of the organization; `stt-tags` adds languages and translation status to the tooltips of tokens. */
  featureFlags: readonly string[];
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
  /** What was there when the playground of this project was left (CON-02). */
  kept?: PlaygroundKept | null;
};

export type PlaygroundContext = PlaygroundInput & {
  /** Every model of the server; the panels offer the real ones of their mode. */
  models: readonly Model[];
  maxUploadBytes: number;
  isLiveSupported: boolean;
  addresses: Addresses;
  failure: Failure | null;
  settings: AsyncSettings;
  asyncModelId: string | null;
  /** The file to listen to and to transcribe: the route's, or the opened transcription's. */
  fileId: string | null;
  file: OpenedFile | null;
  fileFailure: Failure | null;
  /** A file that came by upload and that the list doesn't show yet. */
  uploadedFileId: string | null;
  /** What the `transcription` child is about; null while there is none. */
  job: TranscriptionInput | null;
  /** The id of that transcription, once it has one. */
  openedId: string | null;
};

export type PlaygroundUserEvent =
  | TranslationEvent
  | { type: 'settings.changed'; patch: AsyncPatch }
  | { type: 'model.selected'; modelId: string }
  | { type: 'mode.selected'; mode: PlaygroundMode }
  | { type: 'panel.selected'; panel: Panel }
  | { type: 'file.chosen'; file: PickedFile }
  | { type: 'drop.questioned'; problem: DropProblem }
  | { type: 'file.opened'; fileId: string }
  | { type: 'transcription.opened'; id: string }
  | { type: 'file.removed.requested' }
  | { type: 'transcribe.requested' }
  | { type: 'reload.requested' }
  | { type: 'retry.requested' };

/** The machine's word to its own regions: to the panel, for the address that comes says it too; to the job, whose refusal was about what has changed now. */
type Inner = { type: 'history.shown' } | { type: 'request.changed' };

type ListedRead = Extract<FollowingTold, { type: 'listed.read' }>;

/** What happened in the project elsewhere, or that something may have been missed. */
export type PlaygroundPush = { type: 'push.received'; event: ConsoleEvent };

type RouteEvent = { type: 'route.changed'; route: PlaygroundRoute };

export const filesMachine = createPagedList<StoredFile>('files');
export const transcriptionsMachine = createPagedList<Transcription>('transcriptions');

export const setupPlayground = setup({
  types: {} as {
    context: PlaygroundContext;
    input: PlaygroundInput;
    events:
      | PlaygroundUserEvent
      | RouteEvent
      | PlaygroundPush
      | FollowingTold
      | Inner
      | DisplayTold
      | PlayerTold
      | RemovalTold
      | TranscriptionTold
      | UploadTold;
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
      files: 'files';
      transcriptions: 'transcriptions';
      following: 'following';
      removal: 'removal';
      upload: 'upload';
      live: 'live';
      display: 'display';
      exporter: 'exporter';
      codePanel: 'codePanel';
      search: 'search';
      selection: 'selection';
      player: 'player';
      sidePanel: 'sidePanel';
      transcription: 'transcription';
    };
  },
  actors: {
    loadPlayground,
    readFile,
    judgeFile,
    files: filesMachine,
    transcriptions: transcriptionsMachine,
    following: followingMachine,
    removal: removalMachine,
    upload: uploadMachine,
    live: liveMachine,
    display: displayMachine,
    exporter: exporterMachine,
    codePanel: codePanelMachine,
    search: searchMachine,
    selection: selectionMachine,
    player: playerMachine,
    sidePanel: sidePanelMachine,
    transcription: transcriptionMachine,
  },
  guards: {
    isForLists: (_, { event }: { event: ConsoleEvent }) =>
      event.type === 'resync' || event.type.startsWith('transcription.') || event.type.startsWith('file.'),
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
      (route.transcriptionId === undefined || route.transcriptionId !== context.openedId),
    isFileOfOpened: ({ context }, { transcription }: { transcription: Transcription }) =>
      transcription.file_id !== null && transcription.file_id !== context.fileId,
    isRunning: (_, { transcription }: { transcription: Transcription }) => isRunning(transcription),
    isOtherJob: ({ context }, { route }: { route: PlaygroundRoute }) =>
      route.transcriptionId !== undefined &&
      route.transcriptionId !== context.openedId &&
      route.transcriptionId !== context.route.transcriptionId,
    // A transcription that is being created belongs to its file: it goes when the file does.
    leavesJob: ({ context }, { route }: { route: PlaygroundRoute }) =>
      route.transcriptionId === undefined && (context.openedId !== null || route.fileId !== context.route.fileId),
    opensByRoute: ({ context }) => context.route.transcriptionId !== undefined,
    asksForHistory: ({ context: { route } }) =>
      route.panel === 'history' || (route.panel === undefined && route.transcriptionId !== undefined),
    hasFileInRoute: ({ context }) => context.route.fileId !== undefined,
    isRealTimeFirst: ({ context }) => context.route.mode === 'real-time',
    canTranscribe: and([
      stateIn({ ready: { file: 'loaded' } }),
      not(stateIn({ ready: { job: { active: 'creating' } } })),
      not(stateIn({ ready: { job: { active: { opened: 'running' } } } })),
      ({ context }) => asyncModel(context) !== null && obstacleTo(context) === null,
    ]),
    isOpen: ({ context }, { item }: { item: RemovalItem }) =>
      item.id === (item.kind === 'file' ? (context.route.fileId ?? null) : context.openedId),
    isNew: ({ context }, { file }: OpenedFile) => file.id === context.uploadedFileId,
    hasNothing: and([
      ({ context }) => context.route.mode === 'async',
      stateIn({ ready: { file: 'none' } }),
      not(stateIn({ ready: { job: { active: 'creating' } } })),
      not(stateIn({ ready: { job: { active: 'opened' } } })),
    ]),
    hasOpened: ({ context }) => context.route.fileId !== undefined || context.route.transcriptionId !== undefined,
  },
  actions: {
    adoptRoute: assign((_, { route }: { route: PlaygroundRoute }) => ({ route })),
    keepData: assign(({ context: { kept, settings } }, data: PlaygroundData) => {
      const offered = asyncModels(data.models);
      const model = offered.find(({ id }) => id === kept?.async.modelId) ?? offered[0] ?? null;
      return {
        ...data,
        asyncModelId: model?.id ?? null,
        settings: kept ? fitAsyncSettings(settings, model) : settings,
        failure: null,
      };
    }),
    keepFailure: assign(failureOf),
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
    aimAtFile: assign((_, { fileId }: { fileId: string | null }) => ({ fileId, file: null, fileFailure: null })),
    forgetFileFailure: assign({ fileFailure: null }),
    keepOpenedFile: assign((_, opened: OpenedFile) => ({ file: opened })),
    keepFileFailure: assign((_, { error }: { error: unknown }) => ({ fileFailure: toFailure(error) })),
    keepUploaded: assign((_, { fileId }: { fileId: string }) => ({ uploadedFileId: fileId })),
    openJob: assign((_, { id }: { id: string }) => ({ job: { id }, openedId: id })),
    createJob: assign(({ context }) => {
      const model = asyncModel(context);
      if (!model || !context.fileId) throw new Error('Nothing to transcribe.');
      return { job: { create: buildCreatePayload(context.settings, model, context.fileId) }, openedId: null };
    }),
    keepOpenedId: assign((_, { transcription }: { transcription: Transcription }) => ({ openedId: transcription.id })),
    forgetJob: assign({ job: null, openedId: null }),
    listFile: sendTo('files', (_, { file }: { file: StoredFile }) => ({ type: 'item.added' as const, item: file })),
    listTranscription: sendTo('transcriptions', (_, { transcription }: { transcription: Transcription }) => ({
      type: 'item.added' as const,
      item: transcription,
    })),
    updateListed: sendTo('transcriptions', (_, { transcription }: { transcription: Transcription }) => ({
      type: 'item.updated' as const,
      item: transcription,
    })),
    takeFromList: sendTo(
      (_, { item }: { item: RemovalItem }) => listOf(item),
      (_, { item }: { item: RemovalItem }) => ({ type: 'item.removed' as const, id: item.id }),
    ),
    putBackInList: sendTo(
      (_, { item }: { item: RemovalItem }) => listOf(item),
      (_, { item }: { item: RemovalItem }) => ({ type: 'item.restored' as const, id: item.id }),
    ),
    follow: sendTo('following', ({ self }, { event }: { event: ConsoleEvent }) => toFollow(event, loadedIn(self))),
    listRead: sendTo(
      (_, { kind }: ListedRead) => listOf({ kind }),
      (_, { isNew, item }: ListedRead) => ({
        type: isNew ? ('item.arrived' as const) : ('item.updated' as const),
        item,
      }),
    ),
    listGone: sendTo(
      (_, { kind }: Listed) => listOf({ kind }),
      (_, { id }: Listed) => ({ type: 'item.gone' as const, id }),
    ),
    renewFiles: sendTo('files', (_, { files }: ListsRead) => ({ type: 'beginning.read' as const, page: files })),
    renewTranscriptions: sendTo('transcriptions', (_, { transcriptions }: ListsRead) => ({
      type: 'beginning.read' as const,
      page: transcriptions,
    })),
    restoreDisplay: sendTo('display', (_, { route }: { route: PlaygroundRoute }) => ({
      type: 'display.restored' as const,
      display: displayOf(route),
    })),
    startUpload: sendTo('upload', (_, { file }: { file: PickedFile }) => ({ type: 'file.chosen' as const, file })),
    stopLive: sendTo('live', { type: 'stop.requested' }),
    showHistory: raise({ type: 'history.shown' }),
    forgetRefusedSaving: sendTo('exporter', { type: 'refusal.forgotten' as const }),
    announce: announce<ToastRequested | NavigateRequested>(),
  },
});

/** What an event is to the lists; guarded by `isForLists`. */
function toFollow(event: ConsoleEvent, loaded: Loaded) {
  switch (event.type) {
    case 'resync':
      return { type: 'lists.outdated' as const, loaded };
    case 'transcription.created':
    case 'transcription.changed':
      return {
        type: 'item.changed' as const,
        kind: 'transcription' as const,
        id: event.transcription_id,
        isNew: event.type === 'transcription.created',
        loaded,
      };
    case 'transcription.deleted':
      return { type: 'item.deleted' as const, kind: 'transcription' as const, id: event.transcription_id };
    case 'file.created':
      return { type: 'item.changed' as const, kind: 'file' as const, id: event.file_id, isNew: true, loaded };
    case 'file.deleted':
      return { type: 'item.deleted' as const, kind: 'file' as const, id: event.file_id };
    case 'members.changed':
    case 'membership.added':
    case 'membership.changed':
    case 'membership.removed':
    case 'organization.changed':
    case 'organization.deleted':
    case 'project.created':
    case 'project.changed':
    case 'project.deleted':
    case 'project_member.added':
    case 'project_member.removed':
    case 'session.ended':
      throw new Error(`'${event.type}' is nothing to the lists.`);
  }
}

function listOf(item: Pick<RemovalItem, 'kind'>): string {
  return item.kind === 'file' ? 'files' : 'transcriptions';
}

/** The model that the async settings apply to. */
export function asyncModel({ models, asyncModelId }: Pick<PlaygroundContext, 'models' | 'asyncModelId'>): Model | null {
  return modelById(models, asyncModelId);
}

/** What of the async settings keeps a transcription from being created; null where nothing does. */
export function obstacleTo(context: Pick<PlaygroundContext, 'models' | 'asyncModelId' | 'settings'>): Obstacle | null {
  return obstacleOf(context.settings.context, asyncTranslation(context.settings), asyncModel(context));
}

/** The playground's own address, with nothing opened; transcripts stay shown as they are. */
export function plainRoute({
  orgUuid,
  projectUuid,
  route: { show, lines },
}: Pick<PlaygroundContext, 'orgUuid' | 'projectUuid' | 'route'>): PlaygroundRoute {
  return {
    screen: 'playground',
    orgUuid,
    projectUuid,
    mode: 'async',
    ...(show === undefined ? {} : { show }),
    ...(lines === undefined ? {} : { lines }),
  };
}

/** How the address wants transcripts to be shown. */
export const displayOf = ({ show, lines }: PlaygroundRoute): DisplayContext => ({
  option: show ?? 'everything',
  isSplit: lines ?? null,
});

/** The same address with transcripts shown so; what is so by itself is left out. */
export function routeShowing(
  { show: _show, lines: _lines, ...route }: PlaygroundRoute,
  { option, isSplit }: DisplayContext,
): PlaygroundRoute {
  return {
    ...route,
    ...(option === 'everything' ? {} : { show: option }),
    ...(isSplit === null ? {} : { lines: isSplit }),
  };
}

export const initialContext = (input: PlaygroundInput): PlaygroundContext => ({
  ...input,
  models: [],
  maxUploadBytes: 0,
  isLiveSupported: true,
  addresses: { speech: '', socket: '' },
  failure: null,
  settings: input.kept?.async.settings ?? ASYNC_DEFAULTS,
  asyncModelId: null,
  fileId: null,
  file: null,
  fileFailure: null,
  uploadedFileId: null,
  job: null,
  openedId: null,
});

/** The toasts of a removal; a refusal with its reason. */
export function removalToast(item: RemovalItem, kind: 'success' | 'error', failure?: Failure): ToastRequested {
  return {
    type: 'toast.requested',
    kind,
    text: [REMOVAL_TOASTS[item.kind][kind], failure?.message].filter(Boolean).join(' '),
  };
}
