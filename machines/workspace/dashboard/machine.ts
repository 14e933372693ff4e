// Models an organization's dashboard: usage and costs of this month, its projects, and renaming it.
// Owned by the workspace, while the dashboard is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { Dashboard } from '#contract/dashboard.ts';
import type { ProjectDetails } from '#contract/organizations.ts';
import { may, type Role } from '#contract/roles.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { formEnds, formGuards } from '../../shared/form/ends.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { sendToApp, type ToastRequested } from '../../shared/appServices.ts';
import type { MembershipsStale } from '../../shared/membershipsStale.ts';
import { nameForm } from './nameForm.ts';
import type { ChartName } from '../usage/actors.ts';
import { usageMachine } from '../usage/machine.ts';
import { loadDashboard, type DashboardData } from './actors.ts';
import { loadedStates } from '../../shared/loaded.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { success } from '../say.ts';

const placeOf = ({ orgUuid }: { orgUuid: string }) => ({ orgUuid });

export const dashboardMachine = setup({
  types: {} as {
    context: {
      orgUuid: string;
      figures: Dashboard | null;
      projects: readonly ProjectDetails[];
      failure: Failure | null;
      role: Role;
      /** The name when renaming began. */
      name: string;
    };
    input: { orgUuid: string; role: Role };
    events:
      | { type: 'retry.requested' }
      | { type: 'chart.chosen'; chart: ChartName }
      | { type: 'rename.requested'; name: string };
    tags: 'loading' | 'failed' | 'cost' | 'renaming';
    children: { loadDashboard: 'loadDashboard'; usage: 'usage'; nameForm: 'nameForm' };
  },
  actors: { loadDashboard, usage: usageMachine, nameForm },
  guards: {
    ...formGuards,
    isChart: (_, { chart, wanted }: { chart: ChartName; wanted: ChartName }) => chart === wanted,
    mayRename: ({ context }) => may(context.role, 'organization.update'),
  },
  actions: {
    setData: assign((_, data: DashboardData) => ({ ...data, failure: null })),
    setFailure: assign(failureOf),
    setName: assign((_, { name }: { name: string }) => ({ name })),
    notifyParent: notifyParent<MembershipsStale>(),
    sendToApp: sendToApp<ToastRequested>(),
  },
}).createMachine({
  id: 'dashboard',
  context: ({ input }) => ({ ...input, figures: null, projects: [], failure: null, name: '' }),
  type: 'parallel',
  states: {
    figures: {
      initial: 'loading',
      states: {
        ...loadedStates('loadDashboard', placeOf, { target: 'ready', actions: withOutput('setData') }),
        ready: {},
      },
    },
    naming: {
      initial: 'shown',
      states: {
        shown: {
          on: { 'rename.requested': { guard: 'mayRename', target: 'renaming', actions: withEvent('setName') } },
        },
        renaming: {
          tags: 'renaming',
          invoke: {
            id: 'nameForm',
            src: 'nameForm',
            input: ({ context: { orgUuid, name } }) => ({ about: { orgUuid }, initial: { name } }),
            onDone: formEnds(
              {
                target: 'shown',
                actions: [
                  { type: 'notifyParent', params: { type: 'memberships.stale', route: null } },
                  success('Success! Organization was saved.'),
                ],
              },
              { target: 'shown' },
            ),
          },
        },
      },
    },
    // This month by day. If it fails, the dashboard still shows its sums.
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
