/** The signed-in half of the console: the workspace's chart and all beneath it, with their effects. Fetched after sign-in. */
import { fromPromise } from 'xstate';
import type { ProjectLimits } from '#contract/limits.ts';
import type { StoredFile } from '#contract/files.ts';
import type {
  OrganizationCreate,
  OrganizationCreated,
  ProjectCreate,
  ProjectCreated,
  Welcome,
} from '#contract/organizations.ts';
import type { SampleName } from '#contract/samples.ts';
import type { LiveSessionToKeep, Transcript, Transcription, TranscriptionCreate } from '#contract/transcriptions.ts';
import { microphoneMachine } from '#machines/playground/microphone/machine.ts';
import { connectionMachine } from '#machines/workspace/connection/machine.ts';
import { eventsMachine, pauseAfter } from '#machines/workspace/events/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import { exporterMachine } from '#machines/playground/reader/exporter/machine.ts';
import { readerMachine } from '#machines/playground/reader/machine.ts';
import { leavingMachine } from '#machines/workspace/leaving/machine.ts';
import { followingMachine } from '#machines/playground/following/machine.ts';
import { keepingMachine } from '#machines/playground/live/keeping/machine.ts';
import { liveMachine } from '#machines/playground/live/machine.ts';
import type { ListPage, PageRequest } from '#machines/shared/pagedList/actors.ts';
import type { Addresses, OpenedFile, PlaygroundData } from '#machines/playground/actors.ts';
import { headroomMachine } from '#machines/playground/headroom/machine.ts';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { filesMachine, transcriptionsMachine } from '#machines/playground/lists.ts';
import type { RemovalKind } from '#machines/playground/removal/actors.ts';
import { paletteMachine } from '#machines/workspace/palette/machine.ts';
import { playerMachine } from '#machines/playground/player/machine.ts';
import { removalMachine } from '#machines/playground/removal/machine.ts';
import type { PickedFile } from '#machines/playground/upload/actors.ts';
import { sampleMachine } from '#machines/playground/sample/machine.ts';
import { sidePanelMachine } from '#machines/playground/sidePanel/machine.ts';
import { streamMachine } from '#machines/playground/stream/machine.ts';
import { transcriptionMachine } from '#machines/playground/transcription/machine.ts';
import { uploadMachine } from '#machines/playground/upload/machine.ts';
import type { MembershipsRead, WorkspaceData } from '#machines/workspace/actors.ts';
import { organizationForm, projectForm } from '#machines/workspace/forms.ts';
import { ORGANIZATION_MISSING, USER_FAILED } from '#machines/workspace/texts.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { welcomeMachine } from '#machines/workspace/welcome/machine.ts';
import type { ScreenCharts } from '#machines/workspace/screens.ts';
import { capture, isLiveSupported } from '../audio/capture.ts';
import { createClock } from '../browser/clock.ts';
import { createKeepingChoice } from '../browser/keepingChoice.ts';
import { atRest } from '../../behaviours/atRest.ts';
import { createEventStream } from '../http/eventStream.ts';
import { createOwnChanges, type OwnChanges } from '../http/ownChanges.ts';
import { createNetwork } from '../browser/network.ts';
import { createPagePresence } from '../browser/pagePresence.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import type { Outside } from './index.ts';
import { fetchRecording } from '../audio/fetchRecording.ts';
import { readsAsRecording } from '../audio/fileFormat.ts';
import { liveAddress } from '../audio/liveAddress.ts';
import { deviceList, levelMeter } from '../audio/devices.ts';
import { createNavigationBlocker } from '../browser/navigationBlocker.ts';
import { createLiveSocket } from '../audio/liveSocket.ts';
import { createBillingApi } from '../http/billingApi.ts';
import { createMainApi, type MainApi } from '../http/mainApi.ts';
import { downloadOf } from './download.ts';
import { billingScreens } from './billing.ts';
import { organizationScreens } from './organization.ts';
import { projectScreens, userSettingsOf } from './project.ts';
import { reportScreens } from './reports.ts';
import { createProbeFile } from '../audio/probeFile.ts';
import { createProjectMemory, type ProjectMemory } from '../browser/projectMemory.ts';
import { createShortcutKeys } from '../browser/shortcutKeys.ts';
import { createReadListed, createReadLists } from './following.ts';
import { createSound } from '../audio/sound.ts';
import { createSpeechApi, type SpeechApi } from '../http/speechApi.ts';
import { saveTextFile } from '../browser/saveTextFile.ts';
import { createUploadFile } from '../http/uploadFile.ts';
import { createViewport } from '../browser/viewport.ts';

/** The workspace's chart, ready to be started by the root. */
export function workspaceWith({ settings, port, call, download, missed, storage, pageUrl, blockNavigation }: Outside) {
  const { product, supportEmail, speechBaseUrl, streamingUrl, maxUploadBytes } = settings;
  const own = createOwnChanges();
  const api = createMainApi(own.watch(call));
  const speech = createSpeechApi({
    pageUrl,
    speechBaseUrl,
    supportEmail,
    session: port,
    onMissing: () => missed.tell(),
  });
  const apiAddress = speech.baseUrl.replace(/\/v1\/$/, '');
  const billing = createBillingApi(call, download);
  const saving = downloadOf(billing, download);
  return workspaceOf({
    screens: {
      ...organizationScreens(api),
      ...reportScreens(billing, saving),
      ...billingScreens(api, { storage, product }),
      ...projectScreens(api, apiAddress, saving),
      userSettings: userSettingsOf(api, settings),
      welcome: welcomeMachine.provide({
        actors: { askWelcome: fromPromise<Welcome, void>(({ signal }) => api.welcome(signal)) },
      }),
    },
    ...workspaceActors(api, createProjectMemory(storage, product), own),
    events: eventsMachine.provide({
      actors: {
        eventStream: createEventStream({ pageUrl, session: port, atRest }),
        pagePresence: createPagePresence(missed),
      },
      delays: { pause: ({ context }) => pauseAfter(context.failures) * (0.5 + Math.random()) },
    }),
    connection: connectionMachine.provide({ actors: { network: createNetwork() } }),
    ...playgroundActors(speech, {
      maxUploadBytes,
      addresses: () => ({
        speech: apiAddress,
        socket: liveAddress(pageUrl(), streamingUrl),
      }),
    }),
    uploadFile: createUploadFile({
      baseUrl: speech.baseUrl,
      supportEmail,
      authorize: speech.authorize,
      onUnauthorized: (access, status) => port.refused(access, status),
      onMissing: () => missed.tell(),
    }),
    viewport: createViewport(),
    shortcutKeys: createShortcutKeys(),
    navigationBlocker: createNavigationBlocker(blockNavigation),
    probeFile: createProbeFile(),
    capture,
    sound: createSound(),
    clock: createClock(),
    keepingChoice: createKeepingChoice(storage, product),
    socket: createLiveSocket({
      temporaryKey: speech.temporaryKey,
      address: () => liveAddress(pageUrl(), streamingUrl),
    }),
  });
}

/** Of each screen with a chart, the chart with what it calls: one that is left out is an error of types. */
type Screens = ScreenCharts & { userSettings: ReturnType<typeof userSettingsOf>; welcome: typeof welcomeMachine };

type ConsoleEffects = { screens: Screens } & ReturnType<typeof workspaceActors> &
  ReturnType<typeof playgroundActors> & {
    events: typeof eventsMachine;
    connection: typeof connectionMachine;
    uploadFile: ReturnType<typeof createUploadFile>;
    viewport: ReturnType<typeof createViewport>;
    shortcutKeys: ReturnType<typeof createShortcutKeys>;
    navigationBlocker: ReturnType<typeof createNavigationBlocker>;
    probeFile: ReturnType<typeof createProbeFile>;
    capture: typeof capture;
    sound: ReturnType<typeof createSound>;
    clock: ReturnType<typeof createClock>;
    keepingChoice: ReturnType<typeof createKeepingChoice>;
    socket: ReturnType<typeof createLiveSocket>;
  };

function workspaceOf(effects: ConsoleEffects) {
  const { loadWorkspace, loadMemberships, projectMemory, createOrganization, createProject } = effects;
  return workspaceMachine.provide({
    actors: {
      loadWorkspace,
      loadMemberships,
      projectMemory,
      leaving: leavingMachine.provide({ actors: { navigationBlocker: effects.navigationBlocker } }),
      events: effects.events,
      connection: effects.connection,
      palette: paletteMachine.provide({ actors: { shortcutKeys: effects.shortcutKeys } }),
      organizationForm: organizationForm.provide({ actors: { submit: createOrganization } }),
      projectForm: projectForm.provide({ actors: { submit: createProject } }),
      ...effects.screens,
      playground: playgroundOf(effects),
    },
  });
}

function playgroundOf(effects: ConsoleEffects) {
  const {
    loadPlayground,
    readFile,
    judgeFile,
    fetchFiles,
    fetchTranscriptions,
    removeItem,
    uploadFile,
    createTranscription,
    fetchTranscription,
    fetchTranscript,
  } = effects;
  return playgroundMachine.provide({
    actors: {
      loadPlayground,
      readFile,
      judgeFile,
      files: filesMachine.provide({ actors: { fetchPage: fetchFiles } }),
      transcriptions: transcriptionsMachine.provide({ actors: { fetchPage: fetchTranscriptions } }),
      following: followingMachine.provide({ actors: { readLists: effects.readLists, readListed: effects.readListed } }),
      removal: removalMachine.provide({ actors: { removeItem, cancelItem: effects.cancelItem } }),
      upload: uploadMachine.provide({ actors: { uploadFile } }),
      sample: sampleMachine.provide({ actors: { addSample: effects.addSample } }),
      transcription: transcriptionMachine.provide({
        actors: {
          createTranscription,
          fetchTranscription,
          fetchTranscript,
          cancelTranscription: effects.cancelTranscription,
        },
      }),
      live: liveOf(effects),
      headroom: headroomMachine.provide({ actors: { readUse: effects.readUse } }),
      player: playerMachine.provide({ actors: { sound: effects.sound } }),
      reader: readerMachine.provide({
        actors: { exporter: exporterMachine.provide({ actors: { saveTextFile } }) },
      }),
      sidePanel: sidePanelMachine.provide({ actors: { viewport: effects.viewport } }),
    },
  });
}

const liveOf = ({ capture, socket, clock, probeFile, fetchSample, keepSession, keepingChoice }: ConsoleEffects) =>
  liveMachine.provide({
    actors: {
      clock,
      probeFile,
      fetchSample,
      microphone: microphoneMachine.provide({ actors: { deviceList, levelMeter } }),
      keeping: keepingMachine.provide({ actors: { keepSession, keepingChoice } }),
      stream: streamMachine.provide({ actors: { capture, socket } }),
    },
  });

/** The answer, or its failure in other words. */
async function saying<Answer>(message: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof CallError ? new CallError({ ...error.failure, message }) : error;
  }
}

function workspaceActors(api: MainApi, memory: ProjectMemory, own: OwnChanges) {
  return {
    loadWorkspace: fromPromise<WorkspaceData, void>(async ({ signal }) => {
      const [user, { organizations }] = await Promise.all([
        saying(USER_FAILED, api.user(signal)),
        saying(ORGANIZATION_MISSING, api.organizations(signal)),
      ]);
      return {
        user,
        memberships: organizations,
        remembered: memory.recall(organizations.map(({ organization }) => organization.uuid)),
      };
    }),
    loadMemberships: fromPromise<MembershipsRead, void>(async ({ signal }) => {
      const { answer, own: changed } = await own.during(() => api.organizations(signal));
      return { memberships: answer.organizations, own: changed };
    }),
    projectMemory: memory.actor,
    readUse: fromPromise<ProjectLimits, { projectUuid: string }>(({ input, signal }) =>
      api.projectLimits(input.projectUuid, signal),
    ),
    createOrganization: fromPromise<OrganizationCreated, Submitted<OrganizationCreate, {}>>(({ input, signal }) =>
      api.createOrganization(input.values, signal),
    ),
    createProject: fromPromise<ProjectCreated, Submitted<ProjectCreate, { orgUuid: string }>>(({ input, signal }) =>
      api.createProject(input.about.orgUuid, input.values, signal),
    ),
  };
}

function playgroundActors(
  api: SpeechApi,
  { maxUploadBytes, addresses }: { maxUploadBytes: number; addresses: () => Addresses },
) {
  return {
    loadPlayground: fromPromise<PlaygroundData, void>(async ({ signal }) => {
      const { models } = await api.models(signal);
      return { models, maxUploadBytes, isLiveSupported: isLiveSupported(), addresses: addresses() };
    }),
    readFile: fromPromise<OpenedFile, { fileId: string }>(async ({ input, signal }) => {
      const [file, { url }] = await Promise.all([api.file(input.fileId, signal), api.fileUrl(input.fileId, signal)]);
      return { file, url };
    }),
    addSample: fromPromise<StoredFile, { name: SampleName }>(({ input, signal }) => api.addSample(input.name, signal)),
    keepSession: fromPromise<Transcription, { session: LiveSessionToKeep }>(({ input, signal }) =>
      api.keepLiveSession(input.session, signal),
    ),
    fetchSample: fromPromise<PickedFile, { name: SampleName }>(async ({ input, signal }) => {
      const { id, filename } = await api.addSample(input.name, signal);
      const { url } = await api.fileUrl(id, signal);
      return fetchRecording(url, filename, signal);
    }),
    judgeFile: fromPromise<boolean, { url: string }>(({ input, signal }) => readsAsRecording(input.url, signal)),
    fetchFiles: fromPromise<ListPage<StoredFile>, PageRequest>(async ({ input, signal }) => {
      const page = await api.files(input.cursor, signal);
      return { items: page.files, nextCursor: page.next_page_cursor };
    }),
    fetchTranscriptions: fromPromise<ListPage<Transcription>, PageRequest>(async ({ input, signal }) => {
      const page = await api.transcriptions(input.cursor, signal);
      return { items: page.transcriptions, nextCursor: page.next_page_cursor };
    }),
    readLists: createReadLists(api),
    readListed: createReadListed(api),
    removeItem: fromPromise<void, { kind: RemovalKind; id: string }>(async ({ input: { kind, id }, signal }) => {
      await (kind === 'file' ? api.deleteFile(id, signal) : api.deleteTranscription(id, signal));
    }),
    cancelItem: fromPromise<void, { id: string }>(async ({ input, signal }) => {
      await api.cancelTranscription(input.id, signal);
    }),
    cancelTranscription: fromPromise<Transcription, { id: string }>(({ input, signal }) =>
      api.cancelTranscription(input.id, signal),
    ),
    createTranscription: fromPromise<Transcription, { create: TranscriptionCreate }>(({ input, signal }) =>
      api.createTranscription(input.create, signal),
    ),
    fetchTranscription: fromPromise<Transcription, { id: string }>(({ input, signal }) =>
      api.transcription(input.id, signal),
    ),
    fetchTranscript: fromPromise<Transcript, { id: string }>(({ input, signal }) => api.transcript(input.id, signal)),
  };
}
