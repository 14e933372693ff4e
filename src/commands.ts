/** Rows of the command palette: screens that the role may open, and events that the charts accept now. */
import type { PageSettings } from '#contract/settings.ts';
import type { Membership } from '#contract/organizations.ts';
import type { ApiKeysActor } from '#machines/workspace/apiKeys/machine.ts';
import type { LiveActor } from '#machines/playground/live/machine.ts';
import type { AsyncActor } from '#machines/playground/async/machine.ts';
import type { PlaygroundActor } from '#machines/playground/machine.ts';
import type { Theme } from '#machines/root/preferences/actors.ts';
import type { PreferencesActor } from '#machines/root/preferences/machine.ts';
import { sendToAppFrom } from '#machines/shared/appServices.ts';
import type { Route } from '#machines/shared/route.ts';
import type { SessionActor } from '#machines/session/machine.ts';
import type { WorkspaceActor, WorkspaceSnapshot } from '#machines/workspace/machine.ts';
import { canOpen } from '#machines/workspace/access.ts';
import type { LookupActor } from '#machines/workspace/palette/lookup.ts';
import { inProject, membershipOf, placed, projectOf } from '#machines/workspace/select.ts';
import { destination, rowOf, SCREEN_NAMES } from './screens/rows.ts';
import { linksOf, type NavEntry, offered, ORGANIZATION_ENTRIES, PROJECT_ENTRIES } from './screens/navigation.ts';

export type Command = {
  /** Unique, also if two commands have the same label. */
  id: string;
  label: string;
  /** Shown beside the label: the target or the subject. */
  about: string;
  perform: () => void;
  /** Address outside of the console: the row is a link that opens a new tab, and `perform` does nothing. */
  href?: string;
};

/** The command that sends an event to an actor; none while its chart does not accept the event. */
function offer<Event extends { type: string }>(
  actor: { getSnapshot: () => { can: (event: Event) => boolean }; send: (event: Event) => void },
  event: Event,
  label: string,
  { about = '', id = event.type }: { about?: string; id?: string } = {},
): Command[] {
  return actor.getSnapshot().can(event) ? [{ id, label, about, perform: () => actor.send(event) }] : [];
}

/** Commands to open a screen, create or switch the organization or project. */
export function commandsOfWorkspace(workspace: WorkspaceActor): Command[] {
  const { context } = workspace.getSnapshot();
  return [
    ...screenCommands(workspace),
    ...offer(workspace, { type: 'project.create.requested' }, 'Create project', {
      about: membershipOf(context.memberships, context.selection.orgUuid)?.organization.name ?? '',
    }),
    ...offer(workspace, { type: 'organization.create.requested' }, 'Create organization'),
    ...switchCommands(workspace, context),
  ];
}

const goTo = (workspace: WorkspaceActor, to: Route, label: string, about = ''): Command => ({
  id: `go ${JSON.stringify(to)}`,
  label,
  about,
  perform: () => sendToAppFrom(workspace, { type: 'navigate.requested', to }),
});

function screenCommands(workspace: WorkspaceActor): Command[] {
  const { memberships, selection } = workspace.getSnapshot().context;
  const membership = membershipOf(memberships, selection.orgUuid);
  const account: Route = { screen: 'user', ...(membership ? { poi: membership.organization.uuid } : {}) };
  const toAccount = goTo(workspace, account, 'Go to Your account');
  if (!membership) return [toAccount];
  const project = projectOf(memberships, selection);
  return [
    ...(project ? linkCommands(workspace, membership, PROJECT_ENTRIES, project.name) : []),
    ...linkCommands(workspace, membership, ORGANIZATION_ENTRIES, membership.organization.name),
    ...(project ? keyCommands(workspace, membership, project) : []),
    ...unlinkedCommands(workspace, membership),
    toAccount,
  ];
}

/** Commands that open what has the typed id: the log of a request, a transcription or a file. */
export function commandsOfLookup(workspace: WorkspaceActor, lookup: LookupActor): Command[] {
  const { place, id, found } = lookup.getSnapshot().context;
  const { orgUuid, projectUuid } = place;
  const playground = { screen: 'playground', orgUuid, projectUuid, mode: 'async' } as const;
  const { logId, transcriptionId, fileId } = found;
  return [
    ...(logId === null
      ? []
      : [goTo(workspace, { screen: 'logs', orgUuid, projectUuid, log: logId }, 'Open the request in Logs', id)]),
    ...(transcriptionId === null
      ? []
      : [goTo(workspace, { ...playground, transcriptionId }, 'Open the transcription', transcriptionId)]),
    ...(fileId === null ? [] : [goTo(workspace, { ...playground, fileId }, 'Open the file', fileId)]),
  ];
}

/** Commands that lead to the selected organization and project, by their ids; others are switched to. */
export function commandsOfPlaceId(workspace: WorkspaceActor, query: string): Command[] {
  const { memberships, selection } = workspace.getSnapshot().context;
  const { orgUuid, projectUuid } = selection;
  const typed = query.trim().toLowerCase();
  const name = membershipOf(memberships, orgUuid)?.organization.name ?? '';
  if (orgUuid !== null && typed === orgUuid)
    return [goTo(workspace, { screen: 'organization', orgUuid }, `Go to organization ${name}`, typed)];
  const project = projectOf(memberships, selection);
  if (orgUuid === null || projectUuid === null || !project || typed !== projectUuid) return [];
  return [goTo(workspace, { screen: 'project', orgUuid, projectUuid }, `Go to project ${project.name}`, typed)];
}

/** Commands for links of the sidebar. */
function linkCommands(
  workspace: WorkspaceActor,
  { organization, role }: Membership,
  entries: readonly NavEntry[],
  about: string,
): Command[] {
  const { projectUuid } = workspace.getSnapshot().context.selection;
  return linksOf(offered(entries, role)).flatMap(({ label, to }) => {
    const route = placed(to, organization.uuid, projectUuid);
    return route ? [goTo(workspace, route, `Go to ${label}`, about)] : [];
  });
}

/** The command to create an API key. None on the screen of API keys, where {@link commandsOfKeys} has it. */
function keyCommands(
  workspace: WorkspaceActor,
  { organization, role }: Membership,
  project: Membership['projects'][number],
): Command[] {
  const isThere = workspace.getSnapshot().context.route.screen === 'apiKeys';
  if (isThere || !canOpen(role, 'apiKeys')) return [];
  const form: Route = { screen: 'apiKeys', orgUuid: organization.uuid, projectUuid: project.uuid, isCreating: true };
  return [goTo(workspace, form, 'Create API key', project.name)];
}

/** Commands for screens that have no link in the sidebar. */
function unlinkedCommands(workspace: WorkspaceActor, { organization, role }: Membership): Command[] {
  const { projectUuid } = workspace.getSnapshot().context.selection;
  return SCREEN_NAMES.flatMap((name) => {
    const { command } = rowOf(name);
    if (command === undefined || !canOpen(role, name)) return [];
    const route = placed(destination(name, {}), organization.uuid, projectUuid);
    return route ? [goTo(workspace, route, command, organization.name)] : [];
  });
}

function switchCommands(
  workspace: WorkspaceActor,
  { memberships, selection, route }: WorkspaceSnapshot['context'],
): Command[] {
  const projects = membershipOf(memberships, selection.orgUuid)?.projects ?? [];
  return [
    ...projects
      .filter(({ uuid }) => uuid !== selection.projectUuid)
      .map(({ uuid, name }) =>
        goTo(workspace, inProject(route, selection.orgUuid ?? '', uuid), `Switch to project ${name}`, uuid),
      ),
    ...memberships
      .filter(({ organization }) => organization.uuid !== selection.orgUuid)
      .flatMap(({ organization: { uuid, name } }) =>
        offer(workspace, { type: 'organization.chosen', orgUuid: uuid }, `Switch to organization ${name}`, {
          about: uuid,
          id: uuid,
        }),
      ),
  ];
}

export const commandsOfKeys = (keys: ApiKeysActor): Command[] =>
  offer(keys, { type: 'key.create.requested' }, 'Create API key');

export const commandsOfAsync = (asyncSide: AsyncActor): Command[] =>
  offer(asyncSide, { type: 'transcribe.requested' }, 'Transcribe file');

export function commandsOfPlayground(playground: PlaygroundActor): Command[] {
  return [
    ...offer(playground, { type: 'mode.selected', mode: 'async' }, 'Show the REST API tab', { id: 'async' }),
    ...offer(playground, { type: 'mode.selected', mode: 'real-time' }, 'Show the WebSocket API tab', {
      id: 'real-time',
    }),
  ];
}

export function commandsOfLive(live: LiveActor): Command[] {
  return [
    ...offer(live, { type: 'run.requested' }, 'Run', { about: 'Live transcription' }),
    ...offer(live, { type: 'stop.requested' }, 'Stop', { about: 'Live transcription' }),
    ...offer(live, { type: 'finalize.requested' }, 'Finalize', { about: 'Live transcription' }),
    ...offer(live, { type: 'reset.requested' }, 'Reset', { about: 'Live transcription' }),
  ];
}

const SIGN_OUT = { type: 'signOut.requested' } as const;

const THEMES: Record<Theme, string> = {
  system: 'Use the theme of this device',
  light: 'Use the light theme',
  dark: 'Use the dark theme',
};

/** Theme and sign-out. An open workspace takes the sign-out, because it may ask first. */
export function commandsOfPage(
  preferences: PreferencesActor,
  session: SessionActor,
  workspace?: WorkspaceActor,
): Command[] {
  const { theme: chosen } = preferences.getSnapshot().context;
  const themes = (['system', 'light', 'dark'] as const).filter((theme) => theme !== chosen);
  return [
    ...themes.flatMap((theme) => offer(preferences, { type: 'theme.chosen', theme }, THEMES[theme], { id: theme })),
    ...(workspace?.getSnapshot().can(SIGN_OUT)
      ? offer(workspace, SIGN_OUT, 'Sign out')
      : offer(session, SIGN_OUT, 'Sign out')),
  ];
}

/** Links out of the console, as far as the operator has set them (UXP-31). */
export function commandsOfLinks({ docs, apiReference, repository, community }: PageSettings['links']): Command[] {
  const outside = {
    'API reference': apiReference,
    Docs: docs,
    'Source repository': repository,
    'Community chat': community,
  };
  return Object.entries(outside).flatMap(([label, href]) =>
    href === undefined
      ? []
      : [{ id: `open ${label}`, label: `Open ${label}`, about: 'New tab', perform: () => undefined, href }],
  );
}

/** Whether two lists show the same, so that no view has to change. */
export const isSame = (some: readonly Command[], others: readonly Command[]): boolean =>
  some.length === others.length &&
  some.every(
    ({ id, label, about }, index) =>
      id === others[index]?.id && label === others[index].label && about === others[index].about,
  );
