import { assign, isMachineSnapshot, raise, sendTo, setup, stateIn, type AnyActorRef, type SnapshotFrom } from 'xstate';
import type { User } from '#contract/accounts.ts';
import type { ConsoleEvent } from '#contract/events.ts';
import type { OrganizationCreated, ProjectCreated } from '#contract/organizations.ts';
import { connectionMachine, type ConnectionNotice } from './connection/machine.ts';
import { eventsMachine, type EventsNotice } from './events/machine.ts';
import { type Failure, failureOf, toFailure } from '../shared/failure.ts';
import { draftOf, draftsUnder } from '../shared/form/drafts.ts';
import { formGuards } from '../shared/form/ends.ts';
import { notifyParent } from '../shared/notifyParent.ts';
import { sendToApp, type NavigateRequested, type ReloadConfirmed } from '../shared/appServices.ts';
import type { PlaceEvent } from '../shared/unsavedWork.ts';
import { leaveGuardMachine, type ReloadRequested } from './leaveGuard/machine.ts';
import type { playgroundMachine } from '../playground/machine.ts';
import { savedOf } from '../playground/saved.ts';
import type { PartFailed } from '../playground/events.ts';
import { staysOn, type Route, type RouteChanged } from '../shared/route.ts';
import { unreadUnder } from '../shared/unread.ts';
import type { ToastRequested } from '../root/toasts/machine.ts';
import { userSettingsMachine, type UserSettingsNotice } from './settings/user/machine.ts';
import {
  loadMemberships,
  loadWorkspace,
  projectMemory,
  type MembershipsRead,
  type ProjectSelected,
  type WorkspaceData,
} from './actors.ts';
import { may } from '#contract/roles.ts';
import { paletteMachine } from './palette/machine.ts';
import { organizationForm, projectForm } from './forms.ts';
import { removalCauseIn } from './news.ts';
import { isForbidden, isSameScreen, isOnRemovedPlace, openedBy } from './access.ts';
import type { MembershipsStale, WorkspaceContext, WorkspaceInput } from './context.ts';
import { type ChartedScreen, screenCharts } from './screens.ts';
import type { ScreenName } from '../shared/screens.ts';
import { membershipOf, namedBy, projectOf, selectFrom } from './select.ts';
import { makesStale, type Subject } from './stale.ts';
import { membershipDiff } from './membershipDiff.ts';
import { welcomeMachine } from './welcome/machine.ts';

/** Events that the machine raises for its own regions. */
type Inner =
  /** The memberships have been read again, changed or not. */
  | { type: 'memberships.read' }
  | { type: 'memberships.readFailed'; failure: Failure }
  /** `hasRoleChanged`: in the organization of the address. */
  | { type: 'memberships.changed'; hasRoleChanged: boolean };

export type WorkspaceEvent =
  | RouteChanged
  | UserSettingsNotice
  | { type: 'signOut.requested' }
  | { type: 'reload.requested' }
  | { type: 'retry.requested' }
  | { type: 'organization.chosen'; orgUuid: string }
  | { type: 'project.chosen'; projectUuid: string }
  | { type: 'organization.create.requested' }
  | { type: 'project.create.requested' }
  | { type: 'dialog.dismissed' }
  | MembershipsStale
  | PartFailed
  | EventsNotice
  | ConnectionNotice
  | Inner;

/** Events that the workspace passes to a screen unchanged. */
export type ForScreen = RouteChanged | EventsNotice | PartFailed;

export type WorkspaceNotice =
  /** A retry has loaded the workspace: the router can decide again what depends on it. */
  { type: 'workspace.recovered' };

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
  delays: { pause: 5000 },
  guards: {
    hasNone: ({ context }) => context.memberships.length === 0,
    hasOrganization: ({ context }) => context.selection.orgUuid !== null,
    mayCreateProject: ({ context }) => {
      const role = membershipOf(context.memberships, context.selection.orgUuid)?.role;
      return role !== undefined && may(role, 'projects.create');
    },
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
    ...formGuards,
    isAt: ({ context }, { screen }: { screen: ScreenName }) => openedBy(context, context.route) === screen,
    isOnRemovedPlace: ({ context }) => isOnRemovedPlace(context),
    staysOnRemovedPlace: ({ context }, { route }: { route: Route }) =>
      isOnRemovedPlace(context) && staysOn(context.route, route),
    isForbidden: ({ context }) => isForbidden(context, context.route),
    isSameScreen: ({ context }, { route }: { route: Route }) => staysOnScreen(context, route),
    isUser: ({ context }) => context.route.screen === 'user',
    isNotFound: ({ context }) => context.route.screen === 'notFound',
    isWelcome: ({ context }) => context.route.screen === 'welcome',
    hasOrganizationDraft: ({ context }) => draftOf(context.drafts, 'organizationForm', {}) !== undefined,
    hasProjectDraft: ({ context }) =>
      draftOf(context.drafts, 'projectForm', { orgUuid: context.selection.orgUuid ?? '' }) !== undefined,
    isAboutMemberships: (_, { event }: { event: ConsoleEvent }) =>
      event.type === 'resync' || ('organization_uuid' in event && event.type !== 'members.changed'),
    makesStale: ({ context: { route } }, { event, subject }: { event: ConsoleEvent; subject: Subject }) =>
      makesStale(event, subject, namedBy(route)),
    hasMessage: ({ context }) => context.diff.message !== '',
    isPlaceRemoved: ({ context }) => context.diff.isPlaceRemoved,
    hasFallback: ({ context }) => context.diff.fallback !== null,
    isOpening: stateIn({ ready: { dialog: 'opening' } }),
    hasRoleChanged: (_, { hasRoleChanged }: { hasRoleChanged: boolean }) => hasRoleChanged,
    leadsSomewhere: (_, { route }: { route: Route | null }) => route !== null,
  },
  actions: {
    adoptRoute: assign((_, { route }: { route: Route }) => ({ route })),
    setData: assign(({ context: { keptDrafts } }, data: WorkspaceData) => ({
      ...data,
      failure: null,
      keptDrafts: null,
      drafts: keptDrafts?.userUuid === data.user.uuid ? keptDrafts.drafts : [],
    })),
    setUser: assign((_, { user }: { user: User }) => ({ user })),
    clearDrafts: assign({ drafts: [] }),
    setRead: assign(({ context }, read: MembershipsRead) => ({
      memberships: read.memberships,
      removalCauses: {},
      diff: membershipDiff(context, read),
    })),
    setRemovalReason: assign(({ context: { removalReason, diff } }) => ({
      removalReason: diff.removalReason ?? removalReason,
    })),
    clearRemovalReason: assign({ removalReason: null }),
    passPlace: sendTo('leaveGuard', ({ context: { removalReason } }): PlaceEvent =>
      removalReason === null ? { type: 'place.back' } : { type: 'place.removed', reason: removalReason },
    ),
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
    setRemovalCause: assign(({ context }, { event }: { event: ConsoleEvent }) => ({
      removalCauses: { ...context.removalCauses, ...removalCauseIn(event) },
    })),
    // Typed input of the screen continues in the one that replaces it.
    setDrafts: assign(({ self }) => ({ drafts: draftsUnder(self) })),
    setFailure: assign(failureOf),
    setKnownFailure: assign((_, { failure }: { failure: Failure }) => ({ failure })),
    setCreated: assign((_, { route }: { route: Route | null }) => ({ created: route })),
    setOrganization: assign((_, { organization }: OrganizationCreated) => ({
      created: { screen: 'organization' as const, orgUuid: organization.uuid },
    })),
    setProject: assign((_, { answer, about }: { answer: ProjectCreated; about: { orgUuid: string } }) => ({
      created: { screen: 'project' as const, orgUuid: about.orgUuid, projectUuid: answer.project.uuid },
    })),
    select: assign(({ context }) => ({ selection: selectFrom(context, context.route, context.selection) })),
    // A running session ends with the screen; its transcript stays.
    setPlayground: assign(({ context, self }) => ({
      savedPlayground: lastPlayground(self) ?? context.savedPlayground,
    })),
    clearOtherPlayground: assign(({ context: { savedPlayground, selection } }) => ({
      savedPlayground: savedPlayground?.projectUuid === selection.projectUuid ? savedPlayground : null,
    })),
    // Guarded by `isUnremembered`, so both are there.
    remember: assign(({ context: { remembered, selection } }) => ({
      remembered: { ...remembered, [selection.orgUuid ?? '']: selection.projectUuid ?? '' },
    })),
    saveSelection: sendTo('projectMemory', ({ context: { selection } }): ProjectSelected => ({
      type: 'project.selected',
      orgUuid: selection.orgUuid ?? '',
      projectUuid: selection.projectUuid ?? '',
    })),
    passToScreen: sendTo(
      (_, { screen }: { screen: ChartedScreen; event: ForScreen }) => screen,
      (_, { event }) => event,
    ),
    passToGuard: sendTo('leaveGuard', { type: 'route.changed' as const }),
    passSignOut: sendTo('leaveGuard', { type: 'signOut.requested' as const }),
    passReload: sendTo('leaveGuard', ({ context, self }): ReloadRequested => ({
      type: 'reload.requested',
      hasTranscript: (lastPlayground(self) ?? context.savedPlayground)?.live?.unsaved != null,
    })),
    passStale: sendTo((_, { screen }: { screen: ChartedScreen }) => screen, { type: 'screen.stale' as const }),
    // Not `sendTo`, which sends to one actor only.
    readAgain: ({ self }) => {
      for (const actor of unreadUnder(self)) actor.send({ type: 'retry.requested' });
    },
    closePalette: sendTo('palette', { type: 'palette.dismissed' as const }),
    notifyParent: notifyParent<WorkspaceNotice>(),
    sendToApp: sendToApp<ToastRequested | NavigateRequested | ReloadConfirmed>(),
  },
});

/** The state to keep of the open playground; undefined if none is open or ready. */
function lastPlayground(workspace: AnyActorRef): WorkspaceContext['savedPlayground'] | undefined {
  const whole: unknown = workspace.getSnapshot();
  const playground = isMachineSnapshot(whole) ? whole.children['playground'] : undefined;
  const snapshot: unknown = playground?.getSnapshot();
  if (!isMachineSnapshot(snapshot)) return undefined;
  const known = snapshot as SnapshotFrom<typeof playgroundMachine>;
  const saved = savedOf(known);
  return saved ? { projectUuid: known.context.projectUuid, ...saved } : undefined;
}
