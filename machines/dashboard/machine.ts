// Models the figures of one organization: what was used and spent this month.
// Owned by the workspace while the dashboard is open; another organization has another one.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Dashboard } from '#contract/dashboard.ts';
import { toFailure, type Failure } from '../failure.ts';
import { loadDashboard } from './actors.ts';

export const dashboardMachine = setup({
  types: {} as {
    context: { orgUuid: string; figures: Dashboard | null; failure: Failure | null };
    input: { orgUuid: string };
    events: { type: 'retry.requested' };
    tags: 'loading' | 'failed';
  },
  actors: { loadDashboard },
  actions: {
    keepFigures: assign((_, { figures }: { figures: Dashboard }) => ({ figures, failure: null })),
    keepFailure: assign((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
  },
}).createMachine({
  id: 'dashboard',
  context: ({ input: { orgUuid } }) => ({ orgUuid, figures: null, failure: null }),
  initial: 'loading',
  states: {
    loading: {
      tags: 'loading',
      invoke: {
        id: 'loadDashboard',
        src: 'loadDashboard',
        input: ({ context }) => ({ orgUuid: context.orgUuid }),
        onDone: { target: 'ready', actions: { type: 'keepFigures', params: ({ event }) => ({ figures: event.output }) } },
        onError: { target: 'failed', actions: { type: 'keepFailure', params: ({ event }) => event } },
      },
    },
    failed: { tags: 'failed', on: { 'retry.requested': 'loading' } },
    ready: {},
  },
});

export type DashboardActor = ActorRefFrom<typeof dashboardMachine>;
