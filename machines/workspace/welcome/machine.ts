// Models the welcome screen: a new account gets an organization with a project; others may create an organization.
// Owned by the workspace, while its screen is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Welcome } from '#contract/organizations.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import type { Route } from '../../shared/route.ts';
import type { MembershipsStale } from '../../shared/membershipsStale.ts';
import { UNREAD } from '../../shared/unread.ts';
import { askWelcome } from './actors.ts';

/** The playground of the new project, where samples need no microphone; null if nothing was created. */
const firstPlace = ({ organization_uuid, project_uuid }: Welcome): Route | null =>
  organization_uuid === null || project_uuid === null
    ? null
    : { screen: 'playground', orgUuid: organization_uuid, projectUuid: project_uuid, mode: 'async' };

export const welcomeMachine = setup({
  types: {} as {
    context: { failure: Failure | null };
    events: { type: 'retry.requested' };
    tags: 'preparing' | 'failed' | 'offering';
    children: { askWelcome: 'askWelcome' };
  },
  actors: { askWelcome },
  guards: { isMade: (_, made: Welcome) => firstPlace(made) !== null },
  actions: {
    setFailure: assign(failureOf),
    notifyParent: notifyParent<MembershipsStale>(),
  },
}).createMachine({
  id: 'welcome',
  context: { failure: null },
  initial: 'asking',
  states: {
    asking: {
      tags: 'preparing',
      invoke: {
        id: 'askWelcome',
        src: 'askWelcome',
        onDone: [
          {
            guard: withOutput('isMade'),
            target: 'made',
            actions: {
              type: 'notifyParent',
              params: ({ event }) => ({ type: 'memberships.stale', route: firstPlace(event.output) }),
            },
          },
          { target: 'offering' },
        ],
        onError: { target: 'failed', actions: withEvent('setFailure') },
      },
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'asking' } },
    // Waits until the console has read the memberships and navigated.
    made: { tags: 'preparing' },
    offering: { tags: 'offering' },
  },
});

export type WelcomeActor = ActorRefFrom<typeof welcomeMachine>;
