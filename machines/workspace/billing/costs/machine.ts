// Models the table of what each project, kind of request and model cost, over a period that the address tells.
// Owned by the workspace while that screen is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { BillingCost, BillingCostRequest } from '#contract/billing.ts';
import type { UsagePeriod } from '#contract/usage.ts';
import { type Failure, failureOf } from '../../../shared/failure.ts';
import { given, givenOutput } from '../../../shared/given.ts';
import { announce, type NavigateRequested } from '../../../shared/residents.ts';
import type { CostTableRoute, DaysView, Route, RouteChanged } from '../../../shared/route.ts';
import { UNREAD } from '../../../shared/unread.ts';
import {
  adopted,
  chosenDays,
  dated,
  daysProblem,
  decided,
  undecided,
  type Days,
  type PeriodContext,
  type PeriodEvent,
} from '../../usage/period.ts';
import { shownRange, type Preset } from '../../usage/range.ts';
import { downloadMachine } from '../../download/machine.ts';
import { loadCost, readToday } from './actors.ts';
import type { CostOrder } from './order.ts';

type Input = {
  orgUuid: string;
  /** What the address asks for. */
  view: DaysView;
};

export type CostsContext = PeriodContext &
  Input & {
    cost: BillingCost | null;
    failure: Failure | null;
    order: CostOrder;
  };

/** A table of a whole period has no steps, and so may be as long as the longest of them allow. */
const STEPS: readonly UsagePeriod[] = ['monthly'];

const isCosts = (route: Route): route is CostTableRoute => route.screen === 'costTable';

const isSameDays = (one: DaysView, other: DaysView): boolean =>
  one.start_date === other.start_date && one.end_date === other.end_date;

/** Where the period is shown. */
function routeShowing({ orgUuid, view }: CostsContext): CostTableRoute {
  const { period: _, ...days } = dated(view);
  return { screen: 'costTable', orgUuid, ...days };
}

/** What is asked of the server, for the screen and for the file alike. */
export function requestOf({ view, range, today, steps }: PeriodContext): BillingCostRequest {
  const { start_date, end_date } = range ?? shownRange(view, today ?? '', steps);
  return { start_date, end_date };
}

export const costsMachine = setup({
  types: {} as {
    context: CostsContext;
    input: Input;
    events: RouteChanged | { type: 'retry.requested' } | PeriodEvent | { type: 'order.chosen'; order: CostOrder };
    tags: 'loading' | 'failed' | 'empty' | 'listed';
    children: { readToday: 'readToday'; loadCost: 'loadCost'; download: 'download' };
  },
  actors: { readToday, loadCost, download: downloadMachine },
  guards: {
    isOther: ({ context }, { route }: { route: Route }) => isCosts(route) && !isSameDays(route, context.view),
    isChosen: ({ context: { wanted } }) => wanted !== null,
    isPeriod: ({ context }, days: Days) => daysProblem(context, days) === null,
    isEmpty: ({ context: { cost } }) => cost === null || cost.rows.length === 0,
  },
  actions: {
    adoptView: assign((_, { route }: { route: Route }) => (isCosts(route) ? adopted(route) : {})),
    wantPreset: assign((_, { preset }: { preset: Preset }) => ({ wanted: preset, problem: null })),
    wantDays: assign(({ context }, days: Days) => ({ wanted: chosenDays(context, days), problem: null })),
    forgetProblem: assign({ problem: null }),
    keepProblem: assign(({ context }, days: Days) => ({ problem: daysProblem(context, days) })),
    decide: assign(({ context }, today: string) => decided(context, today)),
    keepCost: assign((_, cost: BillingCost) => ({ cost, failure: null })),
    keepFailure: assign(failureOf),
    keepOrder: assign((_, { order }: { order: CostOrder }) => ({ order })),
    announce: announce<NavigateRequested>(),
  },
}).createMachine({
  id: 'costTable',
  context: ({ input }) => ({
    ...input,
    ...undecided,
    steps: STEPS,
    cost: null,
    failure: null,
    order: 'project',
  }),
  invoke: { id: 'download', src: 'download' },
  initial: 'loading',
  on: {
    'route.changed': { guard: given('isOther'), target: '.loading', actions: given('adoptView') },
    'preset.chosen': { target: '.loading', actions: given('wantPreset') },
    // What was wrong with the days is being mended.
    'days.edited': { actions: 'forgetProblem' },
    'days.submitted': [
      { guard: given('isPeriod'), target: '.loading', actions: given('wantDays') },
      { actions: given('keepProblem') },
    ],
  },
  states: {
    loading: {
      tags: 'loading',
      initial: 'dating',
      states: {
        dating: {
          invoke: {
            id: 'readToday',
            src: 'readToday',
            onDone: [
              {
                guard: 'isChosen',
                target: 'fetching',
                actions: [
                  givenOutput('decide'),
                  {
                    type: 'announce',
                    params: ({ context }) => ({ type: 'navigate.requested', to: routeShowing(context) }),
                  },
                ],
              },
              { target: 'fetching', actions: givenOutput('decide') },
            ],
            onError: { target: '#costTable.failed', actions: given('keepFailure') },
          },
        },
        fetching: {
          invoke: {
            id: 'loadCost',
            src: 'loadCost',
            input: ({ context }) => ({ orgUuid: context.orgUuid, request: requestOf(context) }),
            onDone: { target: '#costTable.shown', actions: givenOutput('keepCost') },
            onError: { target: '#costTable.failed', actions: given('keepFailure') },
          },
        },
      },
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
    shown: {
      initial: 'deciding',
      states: {
        deciding: { always: [{ guard: 'isEmpty', target: 'empty' }, { target: 'listed' }] },
        empty: { tags: 'empty' },
        listed: { tags: 'listed', on: { 'order.chosen': { actions: given('keepOrder') } } },
      },
    },
  },
});

/** The input of the chart that a route names. */
export const costsInput = (route: Route): Input => {
  if (!isCosts(route)) throw new Error('The route names no cost table.');
  return { orgUuid: route.orgUuid, view: dated(route) };
};

export type CostsActor = ActorRefFrom<typeof costsMachine>;
