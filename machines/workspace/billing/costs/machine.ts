// Models the table of costs by project, service and model, over the period in the address.
// Owned by the workspace, while its screen is open.
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import type { BillingCost } from '#contract/billing.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import { withEvent } from '../../../shared/withEvent.ts';
import type { CostTableRoute, DaysView, Route, RouteChanged } from '../../../shared/route.ts';
import { overPeriod } from '../../usage/overPeriod.ts';
import { periodView, daysShown, undecided, type PeriodContext, type PeriodEvent } from '../../usage/period.ts';
import { downloadMachine } from '../../download/machine.ts';
import { loadCost, readToday } from './actors.ts';
import { BY_PROJECT, ordered, type CostColumn, type CostOrder } from './order.ts';

type Input = {
  orgUuid: string;
  /** What the address selects. */
  view: DaysView;
};

export type CostsContext = PeriodContext &
  Input & {
    cost: BillingCost | null;
    order: CostOrder;
  };

/** The table has no steps, so its period may be as long as monthly steps allow. */
const STEPS: readonly UsagePeriod[] = ['monthly'];

const isCosts = (route: Route): route is CostTableRoute => route.screen === 'costTable';

/** The request for the screen and for the file. */
export { daysShown as requestOf };

const period = overPeriod({
  id: 'costTable',
  isShown: isCosts,
  address: ({ orgUuid, view }: CostsContext) => ({ screen: 'costTable', orgUuid, ...view }),
  load: 'loadCost',
  request: (context: CostsContext) => ({ orgUuid: context.orgUuid, request: daysShown(context) }),
});

export const costsMachine = setup({
  types: {} as {
    context: CostsContext;
    input: Input;
    events: RouteChanged | { type: 'retry.requested' } | PeriodEvent | { type: 'column.chosen'; column: CostColumn };
    tags: 'loading' | 'failed' | 'empty' | 'listed';
    children: { readToday: 'readToday'; loadCost: 'loadCost'; download: 'download' };
  },
  actors: { readToday, loadCost, download: downloadMachine },
  guards: {
    ...period.guards,
    isEmpty: ({ context: { cost } }) => cost === null || cost.rows.length === 0,
  },
  actions: {
    ...period.actions,
    setFigures: assign((_, cost: BillingCost) => ({ cost, failure: null })),
    setOrder: assign(({ context: { order } }, { column }: { column: CostColumn }) => ({
      order: ordered(order, column),
    })),
  },
}).createMachine({
  id: 'costTable',
  context: ({ input }) => ({
    ...input,
    ...undecided,
    steps: STEPS,
    cost: null,
    order: BY_PROJECT,
  }),
  invoke: { id: 'download', src: 'download' },
  initial: 'loading',
  on: period.on,
  states: {
    loading: period.loading,
    failed: period.failed,
    shown: {
      initial: 'deciding',
      states: {
        deciding: { always: [{ guard: 'isEmpty', target: 'empty' }, { target: 'listed' }] },
        empty: { tags: 'empty' },
        listed: { tags: 'listed', on: { 'column.chosen': { actions: withEvent('setOrder') } } },
      },
    },
  },
});

/** The chart's input from its route. */
export const costsInput = (route: Route): Input => {
  if (!isCosts(route)) throw new Error('The route is not the cost table.');
  return { orgUuid: route.orgUuid, view: periodView(route) };
};

export type CostsActor = ActorRefFrom<typeof costsMachine>;
export type CostsSnapshot = SnapshotFrom<typeof costsMachine>;
