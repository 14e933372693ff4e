/** What can be done right now, as rows of the command palette: screens that the role opens, and events that charts accept. */
import type { PageSettings } from '#contract/settings.ts';
import type { Role } from '#contract/roles.ts';
import type { ApiKeysActor } from '#machines/workspace/apiKeys/machine.ts';
import type { LiveActor } from '#machines/playground/live/machine.ts';
import type { PlaygroundActor } from '#machines/playground/machine.ts';
import type { Theme } from '#machines/root/preferences/actors.ts';
import type { PreferencesActor } from '#machines/root/preferences/machine.ts';
import { sendToAppFrom } from '#machines/shared/appServices.ts';
import type { Route } from '#machines/shared/route.ts';
import type { SessionActor } from '#machines/session/machine.ts';
import type { WorkspaceActor, WorkspaceSnapshot } from '#machines/workspace/machine.ts';
import { opens } from '#machines/workspace/access.ts';
import { inProject, membershipOf, placed, projectOf } from '#machines/workspace/select.ts';
import { destination, rowOf, SCREEN_NAMES } from './screens/rows.ts';
import { linksOf, type NavEntry, offered, ORGANIZATION_ENTRIES, PROJECT_ENTRIES } from './screens/navigation.ts';

export type Command = {
  /** Tells two commands apart that are called the same. */
  id: string;
  label: string;
  /** Where it leads or what it is about, beside the label. */
  about: string;
  perform: () => void;
  /** Leads out of the console: its row is a link, which opens a tab of its own, and `perform` has nothing to do. */
  href?: string;
};

/** An event for an actor, offered while its chart accepts it. */
function offer<Event extends { type: string }>(
  actor: { getSnapshot: () => { can: (event: Event) => boolean }; send: (event: Event) => void },
  event: Event,
  label: string,
  { about = '', id = event.type }: { about?: string; id?: string } = {},
): Command[] {
  return actor.getSnapshot().can(event) ? [{ id, label, about, perform: () => actor.send(event) }] : [];
}

/** Screens, organizations, projects, and what the workspace creates. */
export function commandsOfWorkspace(workspace: WorkspaceActor): Command[] {
  const { context } = workspace.getSnapshot();
  return [
    ...screens(workspace),
    ...offer(workspace, { type: 'project.create.requested' }, 'Create project', {
      about: membershipOf(context.memberships, context.selection.orgUuid)?.organization.name ?? '',
    }),
    ...offer(workspace, { type: 'organization.create.requested' }, 'Create organization'),
    ...switches(workspace, context),
  ];
}

const goTo = (workspace: WorkspaceActor, to: Route, label: string, about: string): Command => ({
  id: `go ${JSON.stringify(to)}`,
  label,
  about,
  perform: () => sendToAppFrom(workspace, { type: 'navigate.requested', to }),
});

function screens(workspace: WorkspaceActor): Command[] {
  const { memberships, selection, route } = workspace.getSnapshot().context;
  const membership = membershipOf(memberships, selection.orgUuid);
  const account = goTo(
    workspace,
    { screen: 'user', ...(membership ? { poi: membership.organization.uuid } : {}) },
    'Go to Your account',
    '',
  );
  if (!membership) return [account];
  const { organization, role } = membership;
  const project = projectOf(memberships, selection);
  const into = (entries: readonly NavEntry[], about: string) =>
    linksOf(offered(entries, role)).flatMap(({ label, to }) => {
      const route = placed(to, organization.uuid, selection.projectUuid);
      return route ? [goTo(workspace, route, `Go to ${label}`, about)] : [];
    });
  return [
    ...(project ? into(PROJECT_ENTRIES, project.name) : []),
    ...into(ORGANIZATION_ENTRIES, organization.name),
    // On the screen itself its own chart offers it.
    ...(project && opens(role, 'apiKeys') && route.screen !== 'apiKeys'
      ? [
          goTo(
            workspace,
            { screen: 'apiKeys', orgUuid: organization.uuid, projectUuid: project.uuid, asks: true },
            'Create API key',
            project.name,
          ),
        ]
      : []),
    ...commandRows(role).flatMap(({ name, command }) => {
      const to = placed(destination(name, {}), organization.uuid, selection.projectUuid);
      return to ? [goTo(workspace, to, command, organization.name)] : [];
    }),
    account,
  ];
}

/** The screens that no link leads to and the role opens. */
const commandRows = (role: Role) =>
  SCREEN_NAMES.flatMap((name) => {
    const { command } = rowOf(name);
    return command !== undefined && opens(role, name) ? [{ name, command }] : [];
  });

function switches(
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

export function commandsOfPlayground(playground: PlaygroundActor): Command[] {
  return [
    ...offer(playground, { type: 'transcribe.requested' }, 'Transcribe file'),
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

/** Signing out is the workspace's to ask about where it is open. */
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

/** What stands outside of the console, as far as there is any (UXP-31). */
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

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase();

/** Those that every word of the query is in, those whose label begins a word with it first. */
export function found(commands: readonly Command[], query: string): readonly Command[] {
  const words = plain(query)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return commands;
  const hits = commands.filter(({ label, about }) => words.every((word) => plain(`${label} ${about}`).includes(word)));
  const isClose = ({ label }: Command) => words.every((word) => ` ${plain(label)}`.includes(` ${word}`));
  return [...hits.filter(isClose), ...hits.filter((command) => !isClose(command))];
}

/** Whether two lists offer the same, so that what shows them need not change. */
export const isSame = (some: readonly Command[], others: readonly Command[]): boolean =>
  some.length === others.length &&
  some.every(
    ({ id, label, about }, index) =>
      id === others[index]?.id && label === others[index].label && about === others[index].about,
  );
