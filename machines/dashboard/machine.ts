// Models what the home of one organization shows: what was used and spent this month, and what its projects are for.
// Owned by the workspace while the dashboard is open; another organization has another one.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Dashboard } from '#contract/dashboard.ts';
import type { ProjectDetails } from '#contract/organizations.ts';
import { toFailure, type Failure } from '../failure.ts';
import { loadDashboard, type DashboardData } from './actors.ts';

export const dashboardMachine = setup({
  types: {} as {
    context: { orgUuid: string; figures: Dashboard | null; projects: readonly ProjectDetails[]; failure: Failure | null };
    input: { orgUuid: string };
    events: { type: 'retry.requested' };
    tags: 'loading' | 'failed';
  },
  actors: { loadDashboard },
  actions: {
    keepData: assign((_, data: DashboardData) => ({ ...data, failure: null })),
    keepFailure: assign((_, { error }: { error: unknown }) => ({ failure: toFailure(error) })),
  },
}).createMachine({
  id: 'dashboard',
  context: ({ input: { orgUuid } }) => ({ orgUuid, figures: null, projects: [], failure: null }),
  initial: 'loading',
  states: {
    loading: {
      tags: 'loading',
      invoke: {
        id: 'loadDashboard',
        src: 'loadDashboard',
        input: ({ context }) => ({ orgUuid: context.orgUuid }),
        onDone: { target: 'ready', actions: { type: 'keepData', params: ({ event }) => event.output } },
        onError: { target: 'failed', actions: { type: 'keepFailure', params: ({ event }) => event } },
      },
    },
    failed: { tags: 'failed', on: { 'retry.requested': 'loading' } },
    ready: {},
  },
});

export type DashboardActor = ActorRefFrom<typeof dashboardMachine>;
