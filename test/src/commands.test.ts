import { describe, expect, it } from 'vitest';
import { createActor, fromCallback, fromPromise, waitFor } from 'xstate';
import type { ApiKey } from '#contract/api-keys.ts';
import type { LogDetails } from '#contract/logs.ts';
import type { Role } from '#contract/roles.ts';
import { apiKeysMachine } from '#machines/workspace/apiKeys/machine.ts';
import { lookupMachine } from '#machines/workspace/palette/lookup.ts';
import { paletteMachine } from '#machines/workspace/palette/machine.ts';
import type { WorkspaceData } from '#machines/workspace/actors.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { found } from '#src/commandSearch.ts';
import {
  commandsOfKeys,
  commandsOfLinks,
  commandsOfLookup,
  commandsOfPlaceId,
  commandsOfWorkspace,
  isSame,
  type Command,
} from '#src/commands.ts';
import { linksOf, offered, ORGANIZATION_ENTRIES, PROJECT_ENTRIES } from '#src/screens/navigation.ts';
import { ann } from '../machines/people.ts';
import { silenced } from '../machines/silenced.ts';

async function workspaceOf(role: Role) {
  const data = { ...ann, memberships: ann.memberships.map((membership) => ({ ...membership, role })) };
  const workspace = createActor(
    silenced(workspaceMachine).provide({
      actors: {
        loadWorkspace: fromPromise<WorkspaceData, void>(async () => data),
        projectMemory: fromCallback(() => undefined),
        palette: paletteMachine.provide({ actors: { shortcutKeys: fromCallback(() => undefined) } }),
      },
    }),
    { input: { route: { screen: 'home' }, browserLanguages: [] } },
  ).start();
  await waitFor(workspace, (snapshot) => snapshot.hasTag('ready'));
  return workspace;
}

const labels = async (role: Role): Promise<string[]> =>
  commandsOfWorkspace(await workspaceOf(role)).map(({ label }) => label);

const named = (label: string, about = ''): Command => ({ id: label, label, about, perform: () => undefined });

describe('commands', () => {
  it('ORG-08: are the screens that the role opens and the events that the charts accept', async () => {
    const all = await labels('owner');
    expect(all).toEqual(
      expect.arrayContaining([
        'Go to Audit log',
        'Invite a member',
        'Create project',
        'Create organization',
        'Switch to project Project p2',
        'Switch to organization Organization o2',
      ]),
    );
    const fewer = await labels('billing');
    const missing = all.filter((label) => !fewer.includes(label));
    expect(missing).toEqual(expect.arrayContaining(['Go to API keys', 'Go to Settings', 'Go to Audit log']));
    expect(missing.filter((label) => !label.startsWith('Go to '))).toEqual([
      'Create API key',
      'Invite a member',
      'Create project',
    ]);
    expect(fewer).toEqual(expect.arrayContaining(['Go to Members', 'Go to Logs', 'Create organization']));
    expect(fewer.filter((label) => !all.includes(label))).toEqual([]);
  });

  it('UXP-31: lead out of the console only to what there is', () => {
    const own = { docs: 'https://e.x/#quickstart', apiReference: 'https://e.x/' };
    const rows = (links: Parameters<typeof commandsOfLinks>[0]) =>
      commandsOfLinks(links).map(({ label, href }) => [label, href]);
    expect(rows(own)).toEqual([
      ['Open API reference', own.apiReference],
      ['Open Docs', own.docs],
    ]);
    expect(rows({ ...own, repository: 'https://e.x/source', community: 'https://e.x/chat' }).slice(2)).toEqual([
      ['Open Source repository', 'https://e.x/source'],
      ['Open Community chat', 'https://e.x/chat'],
    ]);
  });

  it('UXP-112: lead to the selected project and organization by their ids', async () => {
    const workspace = await workspaceOf('owner');
    const { orgUuid, projectUuid } = workspace.getSnapshot().context.selection;
    const of = (query: string) => commandsOfPlaceId(workspace, query).map(({ label }) => label);
    expect(of(` ${projectUuid?.toUpperCase()} `)).toEqual(['Go to project Project p1']);
    expect(of(orgUuid ?? '')).toEqual(['Go to organization Organization o1']);
    expect([of('other'), of('')]).toEqual([[], []]);
  });

  it('UXP-112: lead to the log of what has the typed id, and to its transcription; to none while that is unknown', async () => {
    const workspace = await workspaceOf('owner');
    const log = { id: 'log', transcription_id: 'one' } as LogDetails;
    const lookup = createActor(
      lookupMachine.provide({
        actors: { loadLog: fromPromise<LogDetails, { projectUuid: string; id: string }>(async () => log) },
      }),
      { input: { place: { orgUuid: 'o1', projectUuid: 'p1', mayOpen: true }, id: 'request' } },
    ).start();
    expect(commandsOfLookup(workspace, lookup)).toEqual([]);
    await waitFor(lookup, (snapshot) => snapshot.matches('found'));
    expect(commandsOfLookup(workspace, lookup).map(({ label, about }) => [label, about])).toEqual([
      ['Open the request in Logs', 'request'],
      ['Open the transcription', 'one'],
    ]);
  });

  it('are not offered while a chart does not accept them', () => {
    const keys = createActor(
      apiKeysMachine.provide({
        actors: {
          loadKeys: fromPromise<readonly ApiKey[], { projectUuid: string }>(() => new Promise(() => undefined)),
        },
      }),
      { input: { orgUuid: 'o1', projectUuid: 'p1', drafts: [], isAsked: false } },
    ).start();
    expect(commandsOfKeys(keys)).toEqual([]);
    keys.stop();
  });

  it('are found by all words typed, in any case and without accents, the beginnings of words first', () => {
    const commands = [
      named('Go to Billing: Cost table'),
      named('Go to Logs'),
      named('Go to Café', 'Überblick'),
      named('Log in'),
    ];
    const find = (query: string) => found(commands, query).map(({ label }) => label);
    expect(find('  ')).toHaveLength(4);
    expect(find('COST go')).toEqual(['Go to Billing: Cost table']);
    expect(find('cafe uber')).toEqual(['Go to Café']);
    expect(find('able')).toEqual(['Go to Billing: Cost table']);
    expect(found([named('Catalog'), named('Go to Logs')], 'log').map(({ label }) => label)).toEqual([
      'Go to Logs',
      'Catalog',
    ]);
    expect(find('nowhere')).toEqual([]);
  });

  it('are the same while they are called the same', () => {
    expect(isSame([named('A')], [named('A')])).toBe(true);
    expect(isSame([named('A')], [named('B')])).toBe(false);
    expect(isSame([named('A')], [])).toBe(false);
    expect(isSame([named('A', 'x')], [named('A', 'y')])).toBe(false);
  });
});

describe('navigation', () => {
  it('SHL-04 SHL-05: what is in one folder has one need, so that a folder is there with all of its links or not at all', () => {
    for (const entries of [ORGANIZATION_ENTRIES, PROJECT_ENTRIES]) {
      for (const role of ['owner', 'admin', 'member', 'billing'] as const) {
        const single = linksOf(entries).filter((link) => offered([link], role).length > 0);
        expect(linksOf(offered(entries, role)).map(({ to }) => to)).toEqual(single.map(({ to }) => to));
      }
    }
  });
});
