/** Provides the workspace's chart, and all charts beneath it, with their effects. Fetched after sign-in. */
import { fromPromise } from 'xstate';
import { readProjectLimits } from '#contract/api/limits.ts';
import { listMemberships, welcomeUser } from '#contract/api/memberships.ts';
import * as organizations from '#contract/api/organizations.ts';
import * as projects from '#contract/api/projects.ts';
import { readUser } from '#contract/api/user.ts';
import type { ProjectLimits } from '#contract/limits.ts';
import type {
  OrganizationCreate,
  OrganizationCreated,
  ProjectCreate,
  ProjectCreated,
  Welcome,
} from '#contract/organizations.ts';
import { connectionMachine } from '#machines/workspace/connection/machine.ts';
import { eventsMachine, pauseAfter } from '#machines/workspace/events/machine.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { SessionKey } from '#machines/playground/stream/socket/actors.ts';
import { leaveGuardMachine } from '#machines/workspace/leaveGuard/machine.ts';
import { lookupMachine } from '#machines/workspace/palette/lookup.ts';
import { paletteMachine } from '#machines/workspace/palette/machine.ts';
import type { MembershipsRead, WorkspaceData } from '#machines/workspace/actors.ts';
import { organizationForm, projectForm } from '#machines/workspace/forms.ts';
import { ORGANIZATION_MISSING, USER_FAILED } from '#machines/workspace/texts.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { welcomeMachine } from '#machines/workspace/welcome/machine.ts';
import type { ScreenCharts } from '#machines/workspace/screens.ts';
import { capture } from '../audio/capture.ts';
import { createClock } from '../browser/clock.ts';
import { createSavingChoice } from '../browser/savingChoice.ts';
import { atRest } from '../../behaviours/atRest.ts';
import { createEventStream } from '../http/eventStream.ts';
import { createNetwork } from '../browser/network.ts';
import { createPagePresence } from '../browser/pagePresence.ts';
import type { Submitted } from '#machines/shared/form/types.ts';
import type { Outside } from './index.ts';
import { liveAddress } from '../audio/liveAddress.ts';
import { createNavigationBlocker } from '../browser/navigationBlocker.ts';
import { createWebSocket } from '../audio/webSocket.ts';
import type { Caller } from '../http/caller.ts';
import { downloadOf } from './download.ts';
import { billingScreens } from './billing.ts';
import { organizationScreens } from './organization.ts';
import { projectScreens, userSettingsOf } from './project.ts';
import { reportScreens } from './reports.ts';
import { createProbeFile } from '../audio/probeFile.ts';
import { createProjectMemory, type ProjectMemory } from '../browser/projectMemory.ts';
import { createShortcutKeys } from '../browser/shortcutKeys.ts';
import { createSound } from '../audio/sound.ts';
import { createSpeechCaller } from '../http/speechCaller.ts';
import { createUploadFile } from '../http/uploadFile.ts';
import { createViewport } from '../browser/viewport.ts';
import { createReadListed } from './listSync.ts';
import { loadLogOf } from './logs.ts';
import { playgroundActors, playgroundOf } from './playground.ts';

/** The workspace's chart, ready to be started by the root. */
export function workspaceWith({
  settings,
  port,
  call,
  download,
  missed,
  storage,
  pageUrl,
  pageId,
  blockNavigation,
}: Outside) {
  const { product, supportEmail, speechBaseUrl, streamingUrl, maxUploadBytes } = settings;
  const speech = createSpeechCaller({
    pageUrl,
    speechBaseUrl,
    supportEmail,
    session: port,
    onMissing: () => missed.notify(),
  });
  const saving = downloadOf(download);
  return workspaceOf({
    screens: {
      ...organizationScreens(call),
      ...reportScreens(call, saving),
      ...billingScreens(call, { storage, product }),
      ...projectScreens(call, speech.baseUrl, saving),
      playground: playgroundOf({
        readUse: fromPromise<ProjectLimits, { projectUuid: string }>(({ input, signal }) =>
          call(readProjectLimits, { params: { project: input.projectUuid }, signal }),
        ),
        loadLog: loadLogOf(call),
        ...playgroundActors(speech.call, {
          maxUploadBytes,
          addresses: () => ({
            speech: speech.baseUrl,
            socket: liveAddress(pageUrl(), streamingUrl),
          }),
        }),
        uploadFile: createUploadFile({
          baseUrl: speech.baseUrl,
          supportEmail,
          authorize: speech.authorize,
          onUnauthorized: (access, status) => port.refused(access, status),
          onMissing: () => missed.notify(),
        }),
        viewport: createViewport(),
        probeFile: createProbeFile(),
        capture,
        sound: createSound(),
        clock: createClock(),
        savingChoice: createSavingChoice(storage, product),
        fetchKey: fromPromise<SessionKey, void>(async ({ signal }) => ({ api_key: await speech.temporaryKey(signal) })),
        webSocket: createWebSocket({ address: () => liveAddress(pageUrl(), streamingUrl) }),
      }),
      userSettings: userSettingsOf(call, settings, saving),
      welcome: welcomeMachine.provide({
        actors: { askWelcome: fromPromise<Welcome, void>(({ signal }) => call(welcomeUser, { signal })) },
      }),
    },
    ...workspaceActors(call, createProjectMemory(storage, product)),
    events: eventsMachine.provide({
      actors: {
        eventStream: createEventStream({ pageUrl, pageId, session: port, atRest }),
        pagePresence: createPagePresence(missed),
      },
      delays: { pause: ({ context }) => pauseAfter(context.failures) * (0.5 + Math.random()) },
    }),
    connection: connectionMachine.provide({ actors: { network: createNetwork() } }),
    shortcutKeys: createShortcutKeys(),
    lookup: lookupMachine.provide({
      actors: { loadLog: loadLogOf(call), readListed: createReadListed(speech.call) },
    }),
    navigationBlocker: createNavigationBlocker(blockNavigation),
  });
}

/** The chart of each screen, provided with its effects. A missing one is an error of types. */
type Screens = ScreenCharts & { userSettings: ReturnType<typeof userSettingsOf>; welcome: typeof welcomeMachine };

type ConsoleEffects = { screens: Screens } & ReturnType<typeof workspaceActors> & {
    events: typeof eventsMachine;
    connection: typeof connectionMachine;
    shortcutKeys: ReturnType<typeof createShortcutKeys>;
    lookup: typeof lookupMachine;
    navigationBlocker: ReturnType<typeof createNavigationBlocker>;
  };

function workspaceOf(effects: ConsoleEffects) {
  const { loadWorkspace, loadMemberships, projectMemory, createOrganization, createProject } = effects;
  return workspaceMachine.provide({
    actors: {
      loadWorkspace,
      loadMemberships,
      projectMemory,
      leaveGuard: leaveGuardMachine.provide({ actors: { navigationBlocker: effects.navigationBlocker } }),
      events: effects.events,
      connection: effects.connection,
      palette: paletteMachine.provide({ actors: { shortcutKeys: effects.shortcutKeys, lookup: effects.lookup } }),
      organizationForm: organizationForm.provide({ actors: { submit: createOrganization } }),
      projectForm: projectForm.provide({ actors: { submit: createProject } }),
      ...effects.screens,
    },
  });
}

/** Waits for the answer. @throws its CallError with `message` in place of the server's text */
async function saying<Answer>(message: string, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof CallError ? new CallError({ ...error.failure, message }) : error;
  }
}

function workspaceActors(call: Caller, memory: ProjectMemory) {
  return {
    loadWorkspace: fromPromise<WorkspaceData, void>(async ({ signal }) => {
      const [user, { organizations }] = await Promise.all([
        saying(USER_FAILED, call(readUser, { signal })),
        saying(ORGANIZATION_MISSING, call(listMemberships, { signal })),
      ]);
      return {
        user,
        memberships: organizations,
        remembered: memory.recall(organizations.map(({ organization }) => organization.uuid)),
      };
    }),
    loadMemberships: fromPromise<MembershipsRead, void>(async ({ signal }) => {
      const { organizations } = await call(listMemberships, { signal });
      return { memberships: organizations };
    }),
    projectMemory: memory.actor,
    createOrganization: fromPromise<OrganizationCreated, Submitted<OrganizationCreate, {}>>(({ input, signal }) =>
      call(organizations.createOrganization, { json: input.values, signal }),
    ),
    createProject: fromPromise<ProjectCreated, Submitted<ProjectCreate, { orgUuid: string }>>(({ input, signal }) =>
      call(projects.createProject, { params: { organization: input.about.orgUuid }, json: input.values, signal }),
    ),
  };
}
