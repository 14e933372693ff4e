import { assign, isMachineSnapshot, sendTo, setup, type AnyActorRef, type SnapshotFrom } from 'xstate';
import type { User } from '#contract/accounts.ts';
import type { Membership } from '#contract/organizations.ts';
import { toFailure, type Failure } from '../failure.ts';
import { draftOf, type Draft, type LeftDrafts } from '../form/drafts.ts';
import { tellParent } from '../parent.ts';
import { apiKeysMachine, type ApiKeysTold } from '../apiKeys/machine.ts';
import { auditLogMachine } from '../auditLog/machine.ts';
import { dashboardMachine } from '../dashboard/machine.ts';
import { leavingMachine, type LeavingTold } from '../leaving/machine.ts';
import { keptOf, type LiveKept } from '../live/kept.ts';
import type { LiveSnapshot } from '../live/machine.ts';
import { invitationMachine, type InvitationTold } from '../invitation/machine.ts';
import { membersMachine, type MembersTold } from '../members/machine.ts';
import { organizationSettingsMachine, type OrganizationSettingsTold } from '../organizationSettings/machine.ts';
import { playgroundMachine, type PlaygroundInput, type PlaygroundTold } from '../playground/machine.ts';
import { projectSettingsMachine, type ProjectSettingsTold } from '../projectSettings/machine.ts';
import type { PlaygroundRoute, Route, RouteChanged } from '../route.ts';
import { usageMachine, type UsageTold } from '../usage/machine.ts';
import { userSettingsMachine, type UserSettingsTold } from '../userSettings/machine.ts';
import { loadMemberships, loadWorkspace, projectMemory, type ProjectSelected, type WorkspaceData } from './actors.ts';
import { may } from '#contract/roles.ts';
import { paletteMachine } from '../palette/machine.ts';
import { organizationForm, projectForm } from './forms.ts';
import { isForbidden, isSameScreen, openedBy, type ScreenName } from './screens.ts';
import { membershipOf, namedBy, projectOf, selectFrom, type Selection } from './select.ts';

export type WorkspaceInput = {
  route: Route;
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
  /** What somebody had typed when their session ended; given back to the same person only. */
  left?: LeftDrafts | null;
};

export type WorkspaceContext = WorkspaceInput & {
  /** What this person had typed, for the first screen that opens. */
  drafts: readonly Draft[];
  user: User;
  memberships: readonly Membership[];
  remembered: Readonly<Record<string, string>>;
  selection: Selection;
  /** The live side of the last playground, for when one comes back to its project (CON-02). */
  live: { projectUuid: string; kept: LiveKept } | null;
  /** Where success leads, once the memberships know of it. */
  created: Route | null;
  failure: Failure | null;
};

/** Told by a screen that changed what the memberships hold: they are read again, and then `route` opens, if there is one. */
export type MembershipsStale = { type: 'memberships.stale'; route: Route | null };

export type WorkspaceEvent =
  | RouteChanged
  | PlaygroundTold
  | ApiKeysTold
  | MembersTold
  | InvitationTold
  | OrganizationSettingsTold
  | ProjectSettingsTold
  | UsageTold
  | UserSettingsTold
  | LeavingTold
  | { type: 'signOut.requested' }
  | { type: 'retry.requested' }
  | { type: 'organization.chosen'; orgUuid: string }
  | { type: 'project.chosen'; projectUuid: string }
  | { type: 'organization.create.requested' }
  | { type: 'project.create.requested' }
  | { type: 'dialog.dismissed' }
  | MembershipsStale
  | { type: 'memberships.changed' };

/** What the workspace tells its parent. */
export type WorkspaceTold =
  | PlaygroundTold
  /** Asked for, and nothing is lost unasked. */
  | { type: 'signOut.requested' }
  /** It could not be read at first, and now it is: what was decided without it can be decided again. */
  | { type: 'workspace.recovered' };

const isOpenPlayground = (context: WorkspaceContext, route: Route): route is PlaygroundRoute => openedBy(context, route) === 'playground';

export const setupWorkspace = setup({
  types: {} as {
    context: WorkspaceContext;
    input: WorkspaceInput;
    events: WorkspaceEvent;
    tags: 'loading' | 'failed' | 'ready' | 'noOrganization' | 'organizationMissing' | 'projectMissing' | 'noProject' | 'opening' | 'openFailed' | 'playgroundFailed' | 'forbidden';
    children: {
      loadWorkspace: 'loadWorkspace';
      loadMemberships: 'loadMemberships';
      projectMemory: 'projectMemory';
      organizationForm: 'organizationForm';
      projectForm: 'projectForm';
      leaving: 'leaving';
      palette: 'palette';
      playground: 'playground';
      apiKeys: 'apiKeys';
      dashboard: 'dashboard';
      members: 'members';
      invitation: 'invitation';
      organizationSettings: 'organizationSettings';
      auditLog: 'auditLog';
      projectSettings: 'projectSettings';
      userSettings: 'userSettings';
      usage: 'usage';
    };
  },
  actors: {
    loadWorkspace, loadMemberships, projectMemory, leaving: leavingMachine, palette: paletteMachine, organizationForm, projectForm, playground: playgroundMachine, apiKeys: apiKeysMachine,
    dashboard: dashboardMachine, members: membersMachine, invitation: invitationMachine, organizationSettings: organizationSettingsMachine, auditLog: auditLogMachine,
    projectSettings: projectSettingsMachine, userSettings: userSettingsMachine, usage: usageMachine,
  },
  guards: {
    hasNone: ({ context }) => context.memberships.length === 0,
    hasOrganization: ({ context }) => context.selection.orgUuid !== null,
    mayCreateProject: ({ context }) => {
      const role = membershipOf(context.memberships, context.selection.orgUuid)?.role;
      return role !== undefined && may(role, 'projects.create');
    },
    hasProject: ({ context }) => context.selection.projectUuid !== null,
    isUnremembered: ({ context: { remembered, selection } }) =>
      selection.orgUuid !== null && selection.projectUuid !== null && remembered[selection.orgUuid] !== selection.projectUuid,
    isOrganizationMissing: ({ context }) => {
      const { orgUuid } = namedBy(context.route);
      return orgUuid !== null && membershipOf(context.memberships, orgUuid) === undefined;
    },
    isProjectMissing: ({ context }) => {
      const named = namedBy(context.route);
      return named.projectUuid !== null && projectOf(context.memberships, named) === undefined;
    },
    isCreated: (_, { outcome }: { outcome: 'done' | 'dismissed' | 'left' | 'refused' }) => outcome === 'done',
    isUncertain: (_, { outcome }: { outcome: 'done' | 'dismissed' | 'left' | 'refused' }) => outcome === 'left',
    isAt: ({ context }, { screen }: { screen: ScreenName }) => openedBy(context, context.route) === screen,
    isForbidden: ({ context }) => isForbidden(context, context.route),
    isSameScreen: ({ context }, { route }: { route: Route }) => isSameScreen(context, context.route, route),
    isPlayground: ({ context }, { route }: { route: Route }) => isOpenPlayground(context, route),
    isSamePlayground: ({ context }, { route }: { route: Route }) => isOpenPlayground(context, route) && isSameScreen(context, context.route, route),
    isUser: ({ context }) => context.route.screen === 'user',
    hasOrganizationDraft: ({ context }) => draftOf(context.drafts, 'organizationForm', {}) !== undefined,
    hasProjectDraft: ({ context }) => draftOf(context.drafts, 'projectForm', { orgUuid: context.selection.orgUuid ?? '' }) !== undefined,
    leadsSomewhere: (_, { route }: { route: Route | null }) => route !== null,
  },
  actions: {
    adoptRoute: assign((_, { route }: { route: Route }) => ({ route })),
    keepData: assign(({ context: { left } }, data: WorkspaceData) => ({ ...data, failure: null, left: null, drafts: left?.userUuid === data.user.uuid ? left.drafts : [] })),
    keepUser: assign((_, { user }: { user: User }) => ({ user })),
    forgetDrafts: assign({ drafts: [] }),
    keepMemberships: assign((_, { memberships }: { memberships: Membership[] }) => ({ memberships })),
    keepFailure: assign((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
    keepCreated: assign((_, { route }: { route: Route | null }) => ({ created: route })),
    select: assign(({ context }) => ({ selection: selectFrom(context, context.route, context.selection) })),
    // A session that is running ends with the screen; what was heard does not.
    keepLive: assign(({ context, self }) => {
      const snapshot: unknown = self.getSnapshot();
      return { live: isMachineSnapshot(snapshot) ? (liveOf(snapshot.children['playground']) ?? context.live) : context.live };
    }),
    forgetOtherLive: assign(({ context: { live, selection } }) => ({ live: live?.projectUuid === selection.projectUuid ? live : null })),
    // Guarded by `isUnremembered`, so both are there.
    remember: assign(({ context: { remembered, selection } }) => ({ remembered: { ...remembered, [selection.orgUuid ?? '']: selection.projectUuid ?? '' } })),
    tellMemory: sendTo('projectMemory', ({ context: { selection } }): ProjectSelected => ({
      type: 'project.selected',
      orgUuid: selection.orgUuid ?? '',
      projectUuid: selection.projectUuid ?? '',
    })),
    passToUsage: sendTo('usage', (_, { route }: { route: Route }): RouteChanged => ({ type: 'route.changed', route })),
    passToGuard: sendTo('leaving', { type: 'route.changed' as const }),
    passSignOut: sendTo('leaving', { type: 'signOut.requested' as const }),
    passRoute: sendTo('playground', (_, { route }: { route: Route }): RouteChanged => ({ type: 'route.changed', route })),
    closePalette: sendTo('palette', { type: 'palette.dismissed' as const }),
    tell: tellParent<WorkspaceTold>(),
  },
});

/** What a playground that is about to go leaves behind; undefined while it had nothing to show yet. */
function liveOf(playground: AnyActorRef | undefined): WorkspaceContext['live'] | undefined {
  const snapshot: unknown = playground?.getSnapshot();
  if (!isMachineSnapshot(snapshot)) return undefined;
  const { context, children } = snapshot as SnapshotFrom<typeof playgroundMachine>;
  const live: unknown = children.live?.getSnapshot();
  const kept = isMachineSnapshot(live) ? keptOf(live as LiveSnapshot) : null;
  return kept ? { projectUuid: context.projectUuid, kept } : undefined;
}

/** The input of the playground that the route names; only asked for where a guard has found one. */
export function playgroundInput(context: WorkspaceContext): PlaygroundInput {
  const { route } = context;
  if (!isOpenPlayground(context, route)) throw new Error('The route names no playground.');
  const { orgUuid, projectUuid } = route;
  const featureFlags = membershipOf(context.memberships, orgUuid)?.organization.feature_flags ?? [];
  const live = context.live?.projectUuid === projectUuid ? context.live.kept : null;
  return { orgUuid, projectUuid, route, featureFlags, browserLanguages: context.browserLanguages, live };
}
