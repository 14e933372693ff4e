/** Everything outside, as actors for the charts: made once per page from its settings and the root that will use them. */
import { fromPromise } from 'xstate';
import type { Activation, ActivationRequest } from '#contract/accounts.ts';
import type { StoredFile } from '#contract/files.ts';
import type { Membership, OrganizationCreate, OrganizationCreated, ProjectCreate, ProjectCreated } from '#contract/organizations.ts';
import type { SignInRequest, TokenPair } from '#contract/session.ts';
import type { PageSettings } from '#contract/settings.ts';
import type { Transcript, Transcription, TranscriptionCreate } from '#contract/transcriptions.ts';
import type { ListPage, PageRequest } from '#machines/pagedList/actors.ts';
import type { OpenedFile, PlaygroundData } from '#machines/playground/actors.ts';
import type { RemovalKind } from '#machines/removal/actors.ts';
import type { SessionActor } from '#machines/session/machine.ts';
import type { EmailPurpose } from '#machines/signUp/actors.ts';
import type { WorkspaceData } from '#machines/workspace/actors.ts';
import { capture, isLiveSupported } from './capture.ts';
import { copyText } from './clipboard.ts';
import { createClock } from './clock.ts';
import { readCsrfToken } from './csrf.ts';
import { liveAddress } from './liveAddress.ts';
import { createLiveSocket } from './liveSocket.ts';
import { createMainApi, type MainApi } from './mainApi.ts';
import { createPreferencesStore } from './preferencesStore.ts';
import { createProjectMemory, type ProjectMemory } from './projectMemory.ts';
import { keepReferral, readReferral } from './referral.ts';
import { createSessionActors, createSessionPort } from './session.ts';
import { createSpeechApi, type SpeechApi } from './speechApi.ts';
import { createTokens } from './tokens.ts';
import { createUploadFile } from './uploadFile.ts';
import { createViewport } from './viewport.ts';
import { createWebStorage } from './webStorage.ts';

export type EffectsOptions = {
  settings: PageSettings;
  /** The running session's actor; asked for only when a call is made, by then the root has started. */
  session: () => SessionActor;
};

/** What a form's chart hands to the actor that sends it. */
type Submitted<Values> = { values: Values };

export type Effects = ReturnType<typeof createEffects>;

/** The browser's implementations of every actor that the charts leave open. Keeps a referral code of the address, too. */
export function createEffects({ settings, session }: EffectsOptions) {
  const pageUrl = () => new URL(window.location.href);
  const now = () => Date.now();
  const { product, supportEmail, speechBaseUrl, streamingUrl, maxUploadBytes } = settings;
  const storage = createWebStorage(() => window.localStorage);
  keepReferral(pageUrl(), storage, product);

  const port = createSessionPort({ session, pageUrl, now });
  const main = createMainApi({ pageUrl, supportEmail, csrfToken: readCsrfToken, session: port });
  const speech = createSpeechApi({ pageUrl, speechBaseUrl, supportEmail, session: port });
  const locks = 'locks' in navigator ? navigator.locks : undefined;
  const tokens = createTokens({ storage, api: main, locks, now });

  return {
    ...createSessionActors({ tokens, api: main }),
    preferencesStore: createPreferencesStore(storage, product),
    copyText,
    ...accountActors(main, () => readReferral(storage, product)),
    ...workspaceActors(main, createProjectMemory(storage, product)),
    ...playgroundActors(speech, maxUploadBytes),
    uploadFile: createUploadFile({
      baseUrl: speech.baseUrl,
      supportEmail,
      authorize: speech.authorize,
      onUnauthorized: (access) => port.refused(access),
    }),
    viewport: createViewport(),
    capture,
    clock: createClock(),
    socket: createLiveSocket({ temporaryKey: speech.temporaryKey, address: () => liveAddress(pageUrl(), streamingUrl) }),
  };
}

function accountActors(api: MainApi, referral: () => string | undefined) {
  return {
    requestTokens: fromPromise<TokenPair, Submitted<SignInRequest>>(({ input, signal }) => api.signIn(input.values, signal)),
    // One call for both purposes: the server sends whichever letter fits, and never tells which (ACC-02, ACC-04).
    requestEmail: fromPromise<void, Submitted<{ purpose: EmailPurpose; email: string }>>(async ({ input: { values }, signal }) => {
      const code = values.purpose === 'signUp' ? referral() : undefined;
      await api.verifyEmail({ email: values.email, ...(code === undefined ? {} : { referral: code }) }, signal);
    }),
    readActivation: fromPromise<Activation, { token: string }>(({ input, signal }) => api.readActivation(input.token, signal)),
    activate: fromPromise<TokenPair, Submitted<ActivationRequest & { token: string }>>(({ input, signal }) =>
      api.activate(input.values.token, { password: input.values.password }, signal),
    ),
  };
}

function workspaceActors(api: MainApi, memory: ProjectMemory) {
  return {
    loadWorkspace: fromPromise<WorkspaceData, void>(async ({ signal }) => {
      const [user, { organizations }] = await Promise.all([api.user(signal), api.organizations(signal)]);
      return { user, memberships: organizations, remembered: memory.recall(organizations.map(({ organization }) => organization.uuid)) };
    }),
    loadMemberships: fromPromise<Membership[], void>(async ({ signal }) => (await api.organizations(signal)).organizations),
    projectMemory: memory.actor,
    createOrganization: fromPromise<OrganizationCreated, Submitted<OrganizationCreate>>(({ input, signal }) => api.createOrganization(input.values, signal)),
    createProject: fromPromise<ProjectCreated, Submitted<ProjectCreate & { orgUuid: string }>>(({ input, signal }) => {
      const { orgUuid, name, description } = input.values;
      return api.createProject(orgUuid, { name, description }, signal);
    }),
  };
}

function playgroundActors(api: SpeechApi, maxUploadBytes: number) {
  return {
    loadPlayground: fromPromise<PlaygroundData, void>(async ({ signal }) => {
      const { models } = await api.models(signal);
      return { models, maxUploadBytes, isLiveSupported: isLiveSupported() };
    }),
    readFile: fromPromise<OpenedFile, { fileId: string }>(async ({ input, signal }) => {
      const [file, { url }] = await Promise.all([api.file(input.fileId, signal), api.fileUrl(input.fileId, signal)]);
      return { file, url };
    }),
    fetchFiles: fromPromise<ListPage<StoredFile>, PageRequest>(async ({ input, signal }) => {
      const page = await api.files(input.cursor, signal);
      return { items: page.files, nextCursor: page.next_page_cursor };
    }),
    fetchTranscriptions: fromPromise<ListPage<Transcription>, PageRequest>(async ({ input, signal }) => {
      const page = await api.transcriptions(input.cursor, signal);
      return { items: page.transcriptions, nextCursor: page.next_page_cursor };
    }),
    removeItem: fromPromise<void, { kind: RemovalKind; id: string }>(async ({ input: { kind, id }, signal }) => {
      await (kind === 'file' ? api.deleteFile(id, signal) : api.deleteTranscription(id, signal));
    }),
    createTranscription: fromPromise<Transcription, { create: TranscriptionCreate }>(({ input, signal }) => api.createTranscription(input.create, signal)),
    fetchTranscription: fromPromise<Transcription, { id: string }>(({ input, signal }) => api.transcription(input.id, signal)),
    fetchTranscript: fromPromise<Transcript, { id: string }>(({ input, signal }) => api.transcript(input.id, signal)),
  };
}
