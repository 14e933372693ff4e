import { assign, sendTo, setup } from 'xstate';
import type { User } from '#contract/accounts.ts';
import type { Membership } from '#contract/organizations.ts';
import { toFailure, type Failure } from '../failure.ts';
import { tellParent } from '../parent.ts';
import { apiKeysMachine, type ApiKeysTold } from '../apiKeys/machine.ts';
import { playgroundMachine, type PlaygroundInput, type PlaygroundTold } from '../playground/machine.ts';
import type { PlaygroundRoute, Route, RouteChanged } from '../route.ts';
import { loadMemberships, loadWorkspace, projectMemory, type ProjectSelected, type WorkspaceData } from './actors.ts';
import { organizationForm, projectForm } from './forms.ts';
import { membershipOf, namedBy, projectOf, selectFrom, type Selection } from './select.ts';

export type WorkspaceInput = {
  route: Route;
  /** BCP 47 tags, most wanted first. */
  browserLanguages: readonly string[];
};

export type WorkspaceContext = WorkspaceInput & {
  user: User;
  memberships: readonly Membership[];
  remembered: Readonly<Record<string, string>>;
  selection: Selection;
  /** Where a dialog's success leads, until it is known to the memberships. */
  created: Route | null;
  failure: Failure | null;
};

export type WorkspaceEvent =
  | RouteChanged
  | PlaygroundTold
  | ApiKeysTold
  | { type: 'retry.requested' }
  | { type: 'organization.chosen'; orgUuid: string }
  | { type: 'project.chosen'; projectUuid: string }
  | { type: 'organization.create.requested' }
  | { type: 'project.create.requested' }
  | { type: 'dialog.dismissed' }
  | { type: 'memberships.changed' };

/** What the workspace tells its parent. */
export type WorkspaceTold = PlaygroundTold;

const isKnownPlayground = (context: WorkspaceContext, route: Route): route is PlaygroundRoute =>
  route.screen === 'playground' && projectOf(context.memberships, route) !== undefined;

/** The project whose keys the route shows; null for another screen, and for a project that is not there. */
export const keysProject = (context: WorkspaceContext, route: Route): string | null =>
  route.screen === 'apiKeys' && projectOf(context.memberships, route) !== undefined ? route.projectUuid : null;

export const setupWorkspace = setup({
  types: {} as {
    context: WorkspaceContext;
    input: WorkspaceInput;
    events: WorkspaceEvent;
    tags: 'loading' | 'failed' | 'ready' | 'noOrganization' | 'organizationMissing' | 'projectMissing' | 'noProject' | 'opening' | 'openFailed' | 'playgroundFailed';
    children: {
      loadWorkspace: 'loadWorkspace';
      loadMemberships: 'loadMemberships';
      projectMemory: 'projectMemory';
      organizationForm: 'organizationForm';
      projectForm: 'projectForm';
      playground: 'playground';
      apiKeys: 'apiKeys';
    };
  },
  actors: { loadWorkspace, loadMemberships, projectMemory, organizationForm, projectForm, playground: playgroundMachine, apiKeys: apiKeysMachine },
  guards: {
    hasNone: ({ context }) => context.memberships.length === 0,
    hasOrganization: ({ context }) => context.selection.orgUuid !== null,
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
    isAtPlayground: ({ context }) => isKnownPlayground(context, context.route),
    isPlayground: ({ context }, { route }: { route: Route }) => isKnownPlayground(context, route),
    isAtKeys: ({ context }) => keysProject(context, context.route) !== null,
    isKeys: ({ context }, { route }: { route: Route }) => keysProject(context, route) !== null,
    isSameKeys: ({ context }, { route }: { route: Route }) => keysProject(context, route) !== null && keysProject(context, route) === keysProject(context, context.route),
    isSameProject: ({ context }, { route }: { route: Route }) =>
      isKnownPlayground(context, route) && isKnownPlayground(context, context.route) && route.projectUuid === context.route.projectUuid,
  },
  actions: {
    adoptRoute: assign((_, { route }: { route: Route }) => ({ route })),
    keepData: assign((_, data: WorkspaceData) => ({ ...data, failure: null })),
    keepMemberships: assign((_, { memberships }: { memberships: Membership[] }) => ({ memberships })),
    keepFailure: assign((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
    keepCreated: assign((_, { route }: { route: Route | null }) => ({ created: route })),
    select: assign(({ context }) => ({ selection: selectFrom(context, context.route, context.selection) })),
    // Guarded by `isUnremembered`, so both are there.
    remember: assign(({ context: { remembered, selection } }) => ({ remembered: { ...remembered, [selection.orgUuid ?? '']: selection.projectUuid ?? '' } })),
    tellMemory: sendTo('projectMemory', ({ context: { selection } }): ProjectSelected => ({
      type: 'project.selected',
      orgUuid: selection.orgUuid ?? '',
      projectUuid: selection.projectUuid ?? '',
    })),
    passRoute: sendTo('playground', (_, { route }: { route: Route }): RouteChanged => ({ type: 'route.changed', route })),
    tell: tellParent<WorkspaceTold>(),
  },
});

/** The input of the playground that the route names; only asked for where a guard has found one. */
export function playgroundInput(context: WorkspaceContext): PlaygroundInput {
  const { route } = context;
  if (!isKnownPlayground(context, route)) throw new Error('The route names no playground.');
  const { orgUuid, projectUuid } = route;
  const featureFlags = membershipOf(context.memberships, orgUuid)?.organization.feature_flags ?? [];
  return { orgUuid, projectUuid, route, featureFlags, browserLanguages: context.browserLanguages };
}
