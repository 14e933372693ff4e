// Models what the home of one organization shows: what was used and spent this month, and what its projects are for.
// Owned by the workspace while the dashboard is open; another organization has another one.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Dashboard } from '#contract/dashboard.ts';
import type { ProjectDetails } from '#contract/organizations.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import type { ChartName } from '../usage/actors.ts';
import { usageMachine } from '../usage/machine.ts';
import { loadDashboard, type DashboardData } from './actors.ts';
import { UNREAD } from '../../shared/unread.ts';
import { given, givenOutput } from '../../shared/given.ts';

export const dashboardMachine = setup({
  types: {} as {
    context: {
      orgUuid: string;
      figures: Dashboard | null;
      projects: readonly ProjectDetails[];
      failure: Failure | null;
    };
    input: { orgUuid: string };
    events: { type: 'retry.requested' } | { type: 'chart.chosen'; chart: ChartName };
    tags: 'loading' | 'failed' | 'cost';
    children: { loadDashboard: 'loadDashboard'; usage: 'usage' };
  },
  actors: { loadDashboard, usage: usageMachine },
  guards: { isChart: (_, { chart, wanted }: { chart: ChartName; wanted: ChartName }) => chart === wanted },
  actions: {
    keepData: assign((_, data: DashboardData) => ({ ...data, failure: null })),
    keepFailure: assign(failureOf),
  },
}).createMachine({
  id: 'dashboard',
  context: ({ input: { orgUuid } }) => ({ orgUuid, figures: null, projects: [], failure: null }),
  type: 'parallel',
  states: {
    figures: {
      initial: 'loading',
      states: {
        loading: {
          tags: 'loading',
          invoke: {
            id: 'loadDashboard',
            src: 'loadDashboard',
            input: ({ context }) => ({ orgUuid: context.orgUuid }),
            onDone: { target: 'ready', actions: givenOutput('keepData') },
            onError: { target: 'failed', actions: given('keepFailure') },
          },
        },
        failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
        ready: {},
      },
    },
    // This month by the day; without it the dashboard still tells its sums.
    chart: {
      initial: 'activity',
      states: {
        activity: {
          invoke: {
            id: 'usage',
            src: 'usage',
            input: ({ context: { orgUuid } }) => ({
              scope: { orgUuid, projectUuid: null },
              chart: 'activity' as const,
              view: {},
            }),
          },
          on: {
            'chart.chosen': {
              guard: { type: 'isChart', params: ({ event: { chart } }) => ({ chart, wanted: 'cost' as const }) },
              target: 'cost',
            },
          },
        },
        cost: {
          tags: 'cost',
          invoke: {
            id: 'usage',
            src: 'usage',
            input: ({ context: { orgUuid } }) => ({
              scope: { orgUuid, projectUuid: null },
              chart: 'cost' as const,
              view: {},
            }),
          },
          on: {
            'chart.chosen': {
              guard: { type: 'isChart', params: ({ event: { chart } }) => ({ chart, wanted: 'activity' as const }) },
              target: 'activity',
            },
          },
        },
      },
    },
  },
});

export type DashboardActor = ActorRefFrom<typeof dashboardMachine>;
