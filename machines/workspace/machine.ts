// Models the console of a signed-in person: memberships, the selected organization and project, and the open screen.
// Owned by the root, for as long as the person is signed in.
import type { ActorRefFrom, SnapshotFrom } from 'xstate';
import { LEAVE_GUARD } from '../shared/unsavedWork.ts';
import { setupWorkspace } from './setup.ts';
import { NO_CHANGE } from './membershipDiff.ts';
import { NOTHING_HEARD } from './news.ts';
import { screen } from './screenStates.ts';
import { dialog, memberships, OPEN_ROUTE, selection } from './states.ts';
import { withEvent, withOutput } from '../shared/withEvent.ts';

export type { WorkspaceNotice } from './workspaceEvents.ts';

export const workspaceMachine = setupWorkspace.createMachine({
  id: 'workspace',
  context: ({ input }) => ({
    ...input,
    keptDrafts: input.keptDrafts ?? null,
    drafts: [],
    user: { uuid: '', email: '', name: '', has_password: false },
    memberships: [],
    remembered: {},
    selection: { orgUuid: null, projectUuid: null },
    savedPlayground: null,
    created: null,
    heard: NOTHING_HEARD,
    diff: NO_CHANGE,
    removalReason: null,
    failure: null,
  }),
  // Also while loading has failed, to retry when the network is back.
  invoke: { id: 'connection', src: 'connection' },
  initial: 'loading',
  on: {
    'route.changed': { actions: withEvent('adoptRoute') },
    'user.changed': { actions: withEvent('setUser') },
    'reload.requested': { actions: { type: 'sendToApp', params: { type: 'reload.confirmed' } } },
  },
  states: {
    loading: {
      tags: 'loading',
      invoke: {
        id: 'loadWorkspace',
        src: 'loadWorkspace',
        onDone: { target: 'ready', actions: withOutput('setData') },
        onError: { target: 'failed', actions: withEvent('setFailure') },
      },
      // The person has joined by an invitation, which the answer under way may not contain.
      on: {
        'memberships.stale': {
          guard: withEvent('leadsSomewhere'),
          target: 'loading',
          reenter: true,
          actions: OPEN_ROUTE,
        },
      },
    },
    failed: {
      tags: 'failed',
      on: {
        'retry.requested': 'retrying',
        'network.back': 'retrying',
        'memberships.stale': {
          guard: withEvent('leadsSomewhere'),
          target: 'retrying',
          actions: OPEN_ROUTE,
        },
      },
    },
    retrying: {
      tags: 'loading',
      invoke: {
        id: 'loadWorkspace',
        src: 'loadWorkspace',
        // Redirects that depend on the memberships were decided without them: the router decides again.
        onDone: {
          target: 'ready',
          actions: [withOutput('setData'), { type: 'notifyParent', params: { type: 'workspace.recovered' } }],
        },
        onError: { target: 'failed', actions: withEvent('setFailure') },
      },
      on: {
        'memberships.stale': {
          guard: withEvent('leadsSomewhere'),
          target: 'retrying',
          reenter: true,
          actions: OPEN_ROUTE,
        },
      },
    },
    ready: {
      type: 'parallel',
      tags: 'ready',
      invoke: [
        { id: 'projectMemory', src: 'projectMemory' },
        { id: 'palette', src: 'palette' },
        // Unsaved work finds it by its `systemId`.
        { id: 'leaveGuard', src: 'leaveGuard', systemId: LEAVE_GUARD },
        { id: 'events', src: 'events' },
      ],
      on: {
        'organization.chosen': {
          actions: {
            type: 'sendToApp',
            params: ({ event }) => ({
              type: 'navigate.requested',
              to: { screen: 'organization', orgUuid: event.orgUuid },
            }),
          },
        },
        'signOut.requested': { actions: 'passSignOut' },
        'reload.requested': { actions: 'passReload' },
        'network.back': { actions: ['readAgain', 'sayOutdated'] },
        'project.chosen': {
          guard: 'hasOrganization',
          actions: {
            type: 'sendToApp',
            params: ({ context, event }) => ({
              type: 'navigate.requested',
              to: { screen: 'project', orgUuid: context.selection.orgUuid ?? '', projectUuid: event.projectUuid },
            }),
          },
        },
      },
      states: { selection, memberships, dialog, screen },
    },
  },
});

export type WorkspaceActor = ActorRefFrom<typeof workspaceMachine>;
export type WorkspaceSnapshot = SnapshotFrom<typeof workspaceMachine>;
