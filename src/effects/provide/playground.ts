/** The playground: its chart and all beneath it, with their effects, and what they ask of the speech API. */
import { fromPromise, type PromiseActorLogic } from 'xstate';
import * as rows from '#contract/api/speech.ts';
import type { ProjectLimits } from '#contract/limits.ts';
import type { StoredFile } from '#contract/files.ts';
import type { SampleName } from '#contract/samples.ts';
import type { LiveSessionToKeep, Transcript, Transcription, TranscriptionCreate } from '#contract/transcriptions.ts';
import { microphoneMachine } from '#machines/playground/microphone/machine.ts';
import { exporterMachine } from '#machines/playground/reader/exporter/machine.ts';
import { readerMachine } from '#machines/playground/reader/machine.ts';
import { libraryMachine } from '#machines/playground/library/machine.ts';
import { listSyncMachine } from '#machines/playground/listSync/machine.ts';
import { savingSessionMachine } from '#machines/playground/live/savingSession/machine.ts';
import { liveMachine } from '#machines/playground/live/machine.ts';
import { loggedRequestMachine } from '#machines/playground/loggedRequest/machine.ts';
import type { ListPage, PageRequest } from '#machines/shared/pagedList/actors.ts';
import type { Addresses, PlaygroundData } from '#machines/playground/actors.ts';
import type { FileToRead, OpenedFile } from '#machines/playground/async/actors.ts';
import { asyncMachine } from '#machines/playground/async/machine.ts';
import { usageHintMachine } from '#machines/playground/usageHint/machine.ts';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { filesMachine, transcriptionsMachine } from '#machines/playground/lists.ts';
import type { RemovalKind } from '#machines/playground/removal/actors.ts';
import { playerMachine } from '#machines/playground/player/machine.ts';
import { removalMachine } from '#machines/playground/removal/machine.ts';
import type { PickedFile } from '#machines/playground/upload/actors.ts';
import { sampleMachine } from '#machines/playground/sample/machine.ts';
import { sidePanelMachine } from '#machines/playground/sidePanel/machine.ts';
import { streamMachine } from '#machines/playground/stream/machine.ts';
import type { SessionKey } from '#machines/playground/stream/socket/actors.ts';
import { socketMachine } from '#machines/playground/stream/socket/machine.ts';
import { transcriptionMachine } from '#machines/playground/transcription/machine.ts';
import { uploadMachine } from '#machines/playground/upload/machine.ts';
import type { capture } from '../audio/capture.ts';
import { isLiveSupported } from '../audio/capture.ts';
import type { createClock } from '../browser/clock.ts';
import type { createSavingChoice } from '../browser/savingChoice.ts';
import { fetchRecording } from '../audio/fetchRecording.ts';
import { readsAsRecording } from '../audio/fileFormat.ts';
import { deviceList, levelMeter } from '../audio/devices.ts';
import type { createWebSocket } from '../audio/webSocket.ts';
import type { createProbeFile } from '../audio/probeFile.ts';
import type { loadLogOf } from './logs.ts';
import { createReadListed, createReadLists } from './listSync.ts';
import type { createSound } from '../audio/sound.ts';
import type { Caller } from '../http/caller.ts';
import { pageAt } from '../http/pages.ts';
import { saveTextFile } from '../browser/saveTextFile.ts';
import type { createUploadFile } from '../http/uploadFile.ts';
import type { createViewport } from '../browser/viewport.ts';

type PlaygroundEffects = ReturnType<typeof playgroundActors> & {
  readUse: PromiseActorLogic<ProjectLimits, { projectUuid: string }>;
  loadLog: ReturnType<typeof loadLogOf>;
  uploadFile: ReturnType<typeof createUploadFile>;
  viewport: ReturnType<typeof createViewport>;
  probeFile: ReturnType<typeof createProbeFile>;
  capture: typeof capture;
  sound: ReturnType<typeof createSound>;
  clock: ReturnType<typeof createClock>;
  savingChoice: ReturnType<typeof createSavingChoice>;
  fetchKey: PromiseActorLogic<SessionKey, void>;
  webSocket: ReturnType<typeof createWebSocket>;
};

/** The playground's chart and all beneath it, with their effects. */
export const playgroundOf = (effects: PlaygroundEffects) =>
  playgroundMachine.provide({
    actors: {
      loadPlayground: effects.loadPlayground,
      async: asyncOf(effects),
      live: liveOf(effects),
      usageHint: usageHintMachine.provide({ actors: { readUse: effects.readUse } }),
      reader: readerMachine.provide({
        actors: { exporter: exporterMachine.provide({ actors: { saveTextFile } }) },
      }),
      loggedRequest: loggedRequestMachine.provide({ actors: { loadLog: effects.loadLog } }),
      sidePanel: sidePanelMachine.provide({ actors: { viewport: effects.viewport } }),
    },
  });

function asyncOf(effects: PlaygroundEffects) {
  const { readFile, probeRecording, uploadFile, addSample, sound } = effects;
  const { createTranscription, fetchTranscription, fetchTranscript, cancelTranscription } = effects;
  return asyncMachine.provide({
    actors: {
      readFile,
      probeRecording,
      library: libraryOf(effects),
      upload: uploadMachine.provide({ actors: { uploadFile } }),
      sample: sampleMachine.provide({ actors: { addSample } }),
      transcription: transcriptionMachine.provide({
        actors: { createTranscription, fetchTranscription, fetchTranscript, cancelTranscription },
      }),
      player: playerMachine.provide({ actors: { sound } }),
    },
  });
}

const libraryOf = (effects: PlaygroundEffects) =>
  libraryMachine.provide({
    actors: {
      files: filesMachine.provide({ actors: { fetchPage: effects.fetchFiles } }),
      transcriptions: transcriptionsMachine.provide({ actors: { fetchPage: effects.fetchTranscriptions } }),
      listSync: listSyncMachine.provide({ actors: { readLists: effects.readLists, readListed: effects.readListed } }),
      removal: removalMachine.provide({ actors: { removeItem: effects.removeItem, cancelItem: effects.cancelItem } }),
    },
  });

function liveOf(effects: PlaygroundEffects) {
  const { capture, fetchKey, webSocket, clock, probeFile, fetchSample, saveSession, savingChoice } = effects;
  return liveMachine.provide({
    actors: {
      clock,
      probeFile,
      fetchSample,
      microphone: microphoneMachine.provide({ actors: { deviceList, levelMeter } }),
      savingSession: savingSessionMachine.provide({ actors: { saveSession, savingChoice } }),
      stream: streamMachine.provide({
        actors: { capture, socket: socketMachine.provide({ actors: { fetchKey, webSocket } }) },
      }),
    },
  });
}

/** What the playground asks of the speech API. */
export function playgroundActors(
  call: Caller,
  { maxUploadBytes, addresses }: { maxUploadBytes: number; addresses: () => Addresses },
) {
  return {
    loadPlayground: fromPromise<PlaygroundData, void>(async ({ signal }) => {
      const { models } = await call(rows.listModels, { signal });
      return { models, maxUploadBytes, isLiveSupported: isLiveSupported(), addresses: addresses() };
    }),
    readFile: fromPromise<OpenedFile, FileToRead>(async ({ input: { fileId, file: known }, signal }) => {
      const asked = { params: { id: fileId }, signal };
      const [file, { url }] = await Promise.all([known ?? call(rows.readFile, asked), call(rows.readFileUrl, asked)]);
      return { file, url };
    }),
    addSample: fromPromise<StoredFile, { name: SampleName }>(({ input, signal }) =>
      call(rows.addSample, { params: { name: input.name }, signal }),
    ),
    saveSession: fromPromise<Transcription, { session: LiveSessionToKeep }>(({ input, signal }) =>
      call(rows.keepLiveSession, { json: input.session, signal }),
    ),
    fetchSample: fromPromise<PickedFile, { name: SampleName }>(async ({ input, signal }) => {
      const { id, filename } = await call(rows.addSample, { params: { name: input.name }, signal });
      const { url } = await call(rows.readFileUrl, { params: { id }, signal });
      return fetchRecording(url, filename, signal);
    }),
    probeRecording: fromPromise<boolean, { url: string }>(({ input, signal }) => readsAsRecording(input.url, signal)),
    fetchFiles: fromPromise<ListPage<StoredFile>, PageRequest>(async ({ input, signal }) => {
      const page = await call(rows.listFiles, { query: pageAt(input.cursor), signal });
      return { items: page.files, nextCursor: page.next_page_cursor };
    }),
    fetchTranscriptions: fromPromise<ListPage<Transcription>, PageRequest>(async ({ input, signal }) => {
      const page = await call(rows.listTranscriptions, { query: pageAt(input.cursor), signal });
      return { items: page.transcriptions, nextCursor: page.next_page_cursor };
    }),
    readLists: createReadLists(call),
    readListed: createReadListed(call),
    removeItem: fromPromise<void, { kind: RemovalKind; id: string }>(async ({ input: { kind, id }, signal }) => {
      await call(kind === 'file' ? rows.deleteFile : rows.deleteTranscription, { params: { id }, signal });
    }),
    cancelItem: fromPromise<void, { id: string }>(async ({ input, signal }) => {
      await call(rows.cancelTranscription, { params: { id: input.id }, signal });
    }),
    cancelTranscription: fromPromise<Transcription, { id: string }>(({ input, signal }) =>
      call(rows.cancelTranscription, { params: { id: input.id }, signal }),
    ),
    createTranscription: fromPromise<Transcription, { create: TranscriptionCreate }>(({ input, signal }) =>
      call(rows.createTranscription, { json: input.create, signal }),
    ),
    fetchTranscription: fromPromise<Transcription, { id: string }>(({ input, signal }) =>
      call(rows.readTranscription, { params: { id: input.id }, signal }),
    ),
    fetchTranscript: fromPromise<Transcript, { id: string }>(({ input, signal }) =>
      call(rows.readTranscript, { params: { id: input.id }, signal }),
    ),
  };
}
