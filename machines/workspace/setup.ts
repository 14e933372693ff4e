import { assign, raise, sendTo, setup, stateIn } from 'xstate';
import type { User } from '#contract/accounts.ts';
import type { ConsoleEvent } from '#contract/events.ts';
import type { OrganizationCreated, ProjectCreated } from '#contract/organizations.ts';
import { connectionMachine } from './connection/machine.ts';
import { eventsMachine } from './events/machine.ts';
import { type Failure, failureOf, toFailure } from '../shared/failure.ts';
import { draftOf } from '../shared/form/drafts.ts';
import { formGuards } from '../shared/form/ends.ts';
import { notifyParent } from '../shared/notifyParent.ts';
import { sendToApp, type NavigateRequested, type ReloadConfirmed, type ToastRequested } from '../shared/appServices.ts';
import type { PlaceEvent } from '../shared/form/types.ts';
import { draftsIn } from '../shared/unsavedWork.ts';
import { leaveGuardMachine, type ReloadRequested } from './leaveGuard/machine.ts';
import { staysOn, type Route } from '../shared/route.ts';
import { unreadUnder } from '../shared/unread.ts';
import { userSettingsMachine } from './settings/user/machine.ts';
import {
  loadMemberships,
  loadWorkspace,
  projectMemory,
  type MembershipsRead,
  type ProjectSelected,
  type WorkspaceData,
} from './actors.ts';
import { paletteMachine, type PlaceSelected } from './palette/machine.ts';
import { organizationForm, projectForm } from './forms.ts';
import { hearEvent, NOTHING_HEARD } from './news.ts';
import { isForbidden, isSameScreen, isOnRemovedPlace, lookupPlaceOf, openedBy, mayHere } from './access.ts';
import type { WorkspaceContext, WorkspaceInput } from './context.ts';
import type { ForScreen, WorkspaceEvent, WorkspaceNotice } from './workspaceEvents.ts';
import { lastPlayground } from './lastPlayground.ts';
import { type ChartedScreen, screenCharts } from './screens.ts';
import type { ScreenName } from '../shared/screens.ts';
import { membershipOf, namedBy, projectOf, selectFrom } from './select.ts';
import { makesStale, type Subject } from './stale.ts';
import { membershipDiff } from './membershipDiff.ts';
import { welcomeMachine } from './welcome/machine.ts';

/** Whether a route stays on the open screen, even if its place is gone. */
const staysOnScreen = (context: WorkspaceContext, route: Route): boolean =>
  isSameScreen(context, context.route, route) || (isOnRemovedPlace(context) && staysOn(context.route, route));

export const setupWorkspace = setup({
  types: {} as {
    context: WorkspaceContext;
    input: WorkspaceInput;
    events: WorkspaceEvent;
    tags:
      | 'loading'
      | 'failed'
      | 'ready'
      | 'noOrganization'
      | 'organizationMissing'
      | 'projectMissing'
      | 'noProject'
      | 'opening'
      | 'openFailed'
      | 'forbidden'
      | 'notFound';
    children: {
      loadWorkspace: 'loadWorkspace';
      loadMemberships: 'loadMemberships';
      projectMemory: 'projectMemory';
      organizationForm: 'organizationForm';
      projectForm: 'projectForm';
      leaveGuard: 'leaveGuard';
      palette: 'palette';
      connection: 'connection';
      events: 'events';
      userSettings: 'userSettings';
      welcome: 'welcome';
    } & { [Name in ChartedScreen]: Name };
  },
  actors: {
    loadWorkspace,
    loadMemberships,
    projectMemory,
    leaveGuard: leaveGuardMachine,
    palette: paletteMachine,
    events: eventsMachine,
    connection: connectionMachine,
    organizationForm,
    projectForm,
    userSettings: userSettingsMachine,
    welcome: welcomeMachine,
    ...screenCharts,
  },
  delays: {
    pause: 5000,
    // Longest wait on a place that the person removed for the answer that says where to go.
    answerLimit: 10_000,
  },
  guards: {
    // The selected organization and project
    hasNone: ({ context }) => context.memberships.length === 0,
    hasOrganization: ({ context }) => context.selection.orgUuid !== null,
    hasProject: ({ context }) => context.selection.projectUuid !== null,
    isUnremembered: ({ context: { remembered, selection } }) =>
      selection.orgUuid !== null &&
      selection.projectUuid !== null &&
      remembered[selection.orgUuid] !== selection.projectUuid,
    isOrganizationMissing: ({ context }) => {
      const { orgUuid } = namedBy(context.route);
      return orgUuid !== null && membershipOf(context.memberships, orgUuid) === undefined;
    },
    isProjectMissing: ({ context }) => {
      const named = namedBy(context.route);
      return named.projectUuid !== null && projectOf(context.memberships, named) === undefined;
    },
    isOnRemovedPlace: ({ context }) => isOnRemovedPlace(context),
    staysOnRemovedPlace: ({ context }, { route }: { route: Route }) =>
      isOnRemovedPlace(context) && staysOn(context.route, route),

    // Memberships and their changes
    isAboutMemberships: (_, { event }: { event: ConsoleEvent }) =>
      event.type === 'resync' || ('organization_uuid' in event && event.type !== 'members.changed'),
    hasMessage: ({ context }) => context.diff.message !== '',
    isPlaceRemoved: ({ context }) => context.diff.isPlaceRemoved,
    hasFallback: ({ context }) => context.diff.fallback !== null,
    isLeftBehind: ({ context }) => context.removalReason === null && isOnRemovedPlace(context),
    isOpening: stateIn({ ready: { dialog: 'opening' } }),
    leadsSomewhere: (_, { route }: { route: Route | null }) => route !== null,

    // The dialog
    ...formGuards,
    mayCreateProject: ({ context }) => mayHere(context, 'projects.create'),
    hasOrganizationDraft: ({ context }) => draftOf(context.drafts, 'organizationForm', {}) !== undefined,
    hasProjectDraft: ({ context }) =>
      draftOf(context.drafts, 'projectForm', { orgUuid: context.selection.orgUuid ?? '' }) !== undefined,

    // The open screen
    isAt: ({ context }, { screen }: { screen: ScreenName }) => openedBy(context, context.route) === screen,
    isForbidden: ({ context }) => isForbidden(context, context.route),
    isSameScreen: ({ context }, { route }: { route: Route }) => staysOnScreen(context, route),
    isUser: ({ context }) => context.route.screen === 'user',
    isNotFound: ({ context }) => context.route.screen === 'notFound',
    isWelcome: ({ context }) => context.route.screen === 'welcome',
    makesStale: ({ context: { route } }, { event, subject }: { event: ConsoleEvent; subject: Subject }) =>
      makesStale(event, subject, namedBy(route)),
    hasRoleChanged: (_, { hasRoleChanged }: { hasRoleChanged: boolean }) => hasRoleChanged,
  },
  actions: {
    // The person and their address
    adoptRoute: assign((_, { route }: { route: Route }) => ({ route })),
    setData: assign(({ context: { keptDrafts } }, data: WorkspaceData) => ({
      ...data,
      failure: null,
      keptDrafts: null,
      drafts: keptDrafts?.userUuid === data.user.uuid ? keptDrafts.drafts : [],
    })),
    setUser: assign((_, { user }: { user: User }) => ({ user })),
    setFailure: assign(failureOf),
    setKnownFailure: assign((_, { failure }: { failure: Failure }) => ({ failure })),

    // The selected organization and project
    select: assign(({ context }) => ({ selection: selectFrom(context, context.route, context.selection) })),
    // Guarded by `isUnremembered`, so both are there.
    remember: assign(({ context: { remembered, selection } }) => ({
      remembered: { ...remembered, [selection.orgUuid ?? '']: selection.projectUuid ?? '' },
    })),
    saveSelection: sendTo('projectMemory', ({ context: { selection } }): ProjectSelected => ({
      type: 'project.selected',
      orgUuid: selection.orgUuid ?? '',
      projectUuid: selection.projectUuid ?? '',
    })),
    clearOtherPlayground: assign(({ context: { savedPlayground, selection } }) => ({
      savedPlayground: savedPlayground?.projectUuid === selection.projectUuid ? savedPlayground : null,
    })),
    setRemovalReason: assign(({ context: { removalReason, diff } }) => ({
      removalReason: diff.removalReason ?? removalReason,
    })),
    clearRemovalReason: assign({ removalReason: null }),
    passPlace: sendTo('leaveGuard', ({ context: { removalReason } }): PlaceEvent =>
      removalReason === null ? { type: 'place.back' } : { type: 'place.removed', reason: removalReason },
    ),

    // Memberships and their changes
    setRead: assign(({ context }, read: MembershipsRead) => ({
      memberships: read.memberships,
      heard: NOTHING_HEARD,
      diff: membershipDiff(context, read),
    })),
    hear: assign(({ context: { heard } }, { event }: { event: ConsoleEvent }) => ({ heard: hearEvent(heard, event) })),
    // A screen that has changed the memberships has changed its own place. If it has removed it, it opens another one.
    noteChangedHere: assign(({ context: { heard, route } }, { route: next }: { route: Route | null }) => {
      const { orgUuid, projectUuid } = namedBy(route);
      const uuid = projectUuid ?? orgUuid;
      if (uuid === null) return {};
      return { heard: { ...heard, changedHere: [...heard.changedHere, { uuid, isRemoved: next !== null }] } };
    }),
    clearMessage: assign(({ context }) => ({ diff: { ...context.diff, message: '' } })),
    sayRead: raise({ type: 'memberships.read' as const }),
    sayReadFailed: raise((_, { error }: { error: unknown }) => ({
      type: 'memberships.readFailed' as const,
      failure: toFailure(error),
    })),
    sayChanged: raise(({ context }) => ({
      type: 'memberships.changed' as const,
      hasRoleChanged: context.diff.hasRoleChanged,
    })),
    sayOutdated: raise({ type: 'memberships.outdated' as const }),

    // The dialog
    setCreated: assign((_, { route }: { route: Route | null }) => ({ created: route })),
    setOrganization: assign((_, { organization }: OrganizationCreated) => ({
      created: { screen: 'organization' as const, orgUuid: organization.uuid },
    })),
    setProject: assign((_, { answer, about }: { answer: ProjectCreated; about: { orgUuid: string } }) => ({
      created: { screen: 'project' as const, orgUuid: about.orgUuid, projectUuid: answer.project.uuid },
    })),
    clearDrafts: assign({ drafts: [] }),

    // The open screen
    // Typed input of the screen continues in the one that replaces it.
    setDrafts: assign(({ system }) => ({ drafts: draftsIn({ system }) })),
    // A running session ends with the screen; its transcript stays.
    setPlayground: assign(({ context, self }) => ({
      savedPlayground: lastPlayground(self) ?? context.savedPlayground,
    })),
    passToScreen: sendTo(
      (_, { screen }: { screen: ChartedScreen; event: ForScreen }) => screen,
      (_, { event }) => event,
    ),
    passStale: sendTo((_, { screen }: { screen: ChartedScreen }) => screen, { type: 'screen.stale' as const }),
    // Not `sendTo`, which sends to one actor only.
    readAgain: ({ self }) => {
      for (const actor of unreadUnder(self)) actor.send({ type: 'retry.requested' });
    },

    // Other actors
    passToGuard: sendTo('leaveGuard', { type: 'route.changed' as const }),
    passSignOut: sendTo('leaveGuard', { type: 'signOut.requested' as const }),
    passReload: sendTo('leaveGuard', ({ context, self }): ReloadRequested => ({
      type: 'reload.requested',
      hasTranscript: (lastPlayground(self) ?? context.savedPlayground)?.live?.unsaved != null,
    })),
    tellPalette: sendTo('palette', ({ context }): PlaceSelected => ({
      type: 'place.selected',
      place: lookupPlaceOf(context),
    })),
    closePalette: sendTo('palette', { type: 'palette.dismissed' as const }),
    notifyParent: notifyParent<WorkspaceNotice>(),
    sendToApp: sendToApp<ToastRequested | NavigateRequested | ReloadConfirmed>(),
  },
});
