import { describe, expect, it, onTestFinished } from 'vitest';
import { createActor, fromPromise, waitFor, type AnyActorRef } from 'xstate';
import type { ApiKey } from '#contract/api-keys.ts';
import { apiKeysMachine } from '#machines/workspace/apiKeys/machine.ts';
import { auditLogMachine, type AuditItem } from '#machines/workspace/auditLog/machine.ts';
import { membersMachine } from '#machines/workspace/members/machine.ts';
import type { People } from '#machines/workspace/members/actors.ts';
import type { ListPage, PageRequest } from '#machines/shared/pagedList/actors.ts';
import { playgroundMachine } from '#machines/playground/machine.ts';
import { projectPeopleMachine } from '#machines/workspace/settings/projectPeople/machine.ts';
import type { ProjectPeople } from '#machines/workspace/settings/projectPeople/actors.ts';
import type { Place, PlaceDetails } from '#machines/workspace/settings/place/actors.ts';
import { projectSettings } from '#machines/workspace/settings/project.ts';
import type { Route } from '#machines/shared/route.ts';
import { workspaceMachine } from '#machines/workspace/machine.ts';
import { playgroundData, reading } from '../page.ts';
import { apiKey, AT, member } from '../people.ts';
import { ASYNC, playgroundRoute, RT } from '../playground-fixtures.ts';
import { silenced } from '../silenced.ts';

const NOWHERE: Route = { screen: 'usageCost', orgUuid: 'o1', projectUuid: 'p1' };

/** A workspace whose every answer carries its own number: what is held can be told from what was. */
async function open() {
  const asked: string[] = [];
  const mark = (of: string) => {
    asked.push(of);
    return `${of} answer ${asked.filter((one) => one === of).length}`;
  };
  const called = (name: string) => ({ ...member('u2', 'member'), name });
  const workspace = createActor(
    silenced(workspaceMachine, {
      ...reading(),
      apiKeys: silenced(apiKeysMachine, {
        loadKeys: fromPromise<readonly ApiKey[], { projectUuid: string }>(async () => [apiKey('k1', mark('apiKeys'))]),
      }),
      members: silenced(membersMachine, {
        loadPeople: fromPromise<People, { orgUuid: string; withInvitations: boolean }>(async () => ({
          members: [called(mark('members'))],
          invitations: [],
        })),
      }),
      auditLog: silenced(auditLogMachine, {
        fetchPage: fromPromise<ListPage<AuditItem>, PageRequest>(async () => ({
          items: [
            {
              id: 'a1',
              uuid: 'a1',
              at: AT,
              actor: mark('auditLog'),
              action: 'project.created',
              subject: '',
              project: null,
              detail: '',
              request_id: 'r1',
            },
          ],
          nextCursor: null,
        })),
      }),
      projectSettings: silenced(projectSettings.machine, {
        loadDetails: fromPromise<PlaceDetails, Place>(async () => ({
          uuid: 'p1',
          fields: { name: mark('projectSettings'), description: '' },
        })),
        projectPeople: silenced(projectPeopleMachine, {
          loadProjectPeople: fromPromise<ProjectPeople, { orgUuid: string; projectUuid: string }>(async () => ({
            people: [{ ...called('projectSettings people'), is_added: true }],
            others: [],
          })),
        }),
      }),
      playground: silenced(playgroundMachine, {
        loadPlayground: playgroundData(() => ({
          models: [{ ...RT, name: mark('playground') }, ASYNC],
          isLiveSupported: false,
        })),
      }),
    }),
    { input: { route: NOWHERE, browserLanguages: [] } },
  ).start();
  onTestFinished(() => void workspace.stop());
  await waitFor(workspace, (snapshot) => snapshot.hasTag('ready'));
  return { workspace, asked };
}

/** What an actor and all beneath it hold. */
function heldBy(actor: AnyActorRef): string {
  const { context, children = {} } = actor.getSnapshot() as {
    context?: unknown;
    children?: Record<string, AnyActorRef | undefined>;
  };
  const seen = new Set<unknown>();
  const own = JSON.stringify(context, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if (seen.has(value)) return undefined;
    seen.add(value);
    return value;
  });
  return [own, ...Object.values(children).map((child) => (child ? heldBy(child) : ''))].join('\n');
}

const SCREENS: Record<string, Route> = {
  apiKeys: { screen: 'apiKeys', orgUuid: 'o1', projectUuid: 'p1' },
  members: { screen: 'members', orgUuid: 'o1' },
  auditLog: { screen: 'auditLog', orgUuid: 'o1' },
  projectSettings: { screen: 'projectSettings', orgUuid: 'o1', projectUuid: 'p1' },
  playground: playgroundRoute(),
};

describe('data of a screen', () => {
  it.each(Object.entries(SCREENS))(
    'API-04: %s is asked for again after it was left, and nothing of it is held meanwhile',
    async (name, route) => {
      const { workspace, asked } = await open();
      const shows = async (text: string) => {
        await expect.poll(() => heldBy(workspace), { interval: 1 }).toContain(text);
      };
      workspace.send({ type: 'route.changed', route });
      await shows(`${name} answer 1`);
      workspace.send({ type: 'route.changed', route: NOWHERE });
      expect(heldBy(workspace)).not.toContain(`${name} answer`);
      expect(heldBy(workspace)).not.toContain('projectSettings people');
      workspace.send({ type: 'route.changed', route });
      await shows(`${name} answer 2`);
      expect(heldBy(workspace)).not.toContain(`${name} answer 1`);
      expect(asked).toEqual([name, name]);
    },
  );
});
