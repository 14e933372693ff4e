// Models the report of an organization's costs by project, in steps of the period in the address.
// Owned by the workspace, while its screen is open.
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import type { BillingReport, BillingReportRequest } from '#contract/billing.ts';
import { USAGE_PERIODS } from '#contract/usage.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import type { ReportsRoute, ReportsView, Route, RouteChanged } from '../../../shared/route.ts';
import { overPeriod } from '../../usage/overPeriod.ts';
import { decided, rangeShown, undecided, type PeriodContext, type PeriodEvent } from '../../usage/period.ts';
import { downloadMachine } from '../../download/machine.ts';
import { loadReport, readToday } from './actors.ts';
import { askedProjects, areAllUnknown, isSameView, namesOf, toggled, viewOf, withProjects } from './filter.ts';

type Input = {
  orgUuid: string;
  /** What the address selects. */
  view: ReportsView;
};

/** Quantities that the bars can show. */
export const MEASURES = ['cost_micros', 'requests', 'audio_ms'] as const;
export type ReportMeasure = (typeof MEASURES)[number];

export type ReportsContext = Omit<PeriodContext, 'view'> &
  Input & {
    /** UUIDs of the chosen projects; none for all. */
    asked: readonly string[];
    /** Stays while the next one loads. */
    report: BillingReport | null;
    measure: ReportMeasure;
    /** Index of the pointed step. */
    pointed: number | null;
    /** Whether the table of figures is open. */
    isTableOpen: boolean;
  };

const isReports = (route: Route): route is ReportsRoute => route.screen === 'billingReports';

const address = ({ orgUuid, view }: ReportsContext): ReportsRoute => ({ screen: 'billingReports', orgUuid, ...view });

/** Writes choices of the screen into the address. */
const TO_ADDRESS = {
  type: 'sendToApp',
  params: ({ context }: { context: ReportsContext }) => ({ type: 'navigate.requested', to: address(context) }) as const,
} as const;

/** The request for the screen and for the file. */
export const requestOf = (context: PeriodContext & Pick<ReportsContext, 'asked'>): BillingReportRequest => ({
  ...rangeShown(context),
  ...(context.asked.length === 0 ? {} : { project_ids: [...context.asked] }),
});

const period = overPeriod({
  id: 'billingReports',
  isShown: isReports,
  address,
  load: 'loadReport',
  request: (context: ReportsContext) => ({ orgUuid: context.orgUuid, request: requestOf(context) }),
  viewOf,
  isSame: isSameView,
});
const { dating, fetching } = period.loading.states;

export const reportsMachine = setup({
  types: {} as {
    context: ReportsContext;
    input: Input;
    events:
      | RouteChanged
      | { type: 'retry.requested' }
      | PeriodEvent
      | { type: 'project.toggled'; project: string }
      | { type: 'projects.cleared' }
      | { type: 'measure.chosen'; measure: ReportMeasure }
      | { type: 'bar.pointed'; index: number | null }
      | { type: 'table.toggled'; isOpen: boolean };
    tags: 'loading' | 'failed' | 'empty' | 'charted';
    children: { readToday: 'readToday'; loadReport: 'loadReport'; download: 'download' };
  },
  actors: { readToday, loadReport, download: downloadMachine },
  guards: {
    ...period.guards,
    isProject: ({ context: { report } }, { project }: { project: string }) =>
      report !== null && report.projects.some(({ uuid }) => uuid === project),
    isNarrowed: ({ context: { view } }) => view.project_ids !== undefined,
    areAllUnknown: ({ context: { asked } }, { projects }: BillingReport) => areAllUnknown(asked, projects),
    isEmpty: ({ context: { report } }) => report === null || report.series.length === 0,
  },
  actions: {
    ...period.actions,
    // Choosing a period keeps the projects.
    decide: assign(({ context }, today: string) => {
      const { view, ...others } = decided(context, today);
      const asked = askedProjects(context.view);
      return { ...others, asked, ...(view === undefined ? {} : { view: { ...view, ...namesOf(context.view) } }) };
    }),
    toggle: assign(({ context: { view, asked, report } }, { project }: { project: string }) => ({
      view: withProjects(view, toggled(asked, report?.projects ?? [], project)),
    })),
    clearProjects: assign(({ context: { view } }) => ({ view: withProjects(view, []) })),
    askForAll: assign({ asked: [] }),
    setFigures: assign((_, report: BillingReport) => ({ report, failure: null, pointed: null })),
    setMeasure: assign((_, { measure }: { measure: ReportMeasure }) => ({ measure })),
    setPointed: assign((_, { index }: { index: number | null }) => ({ pointed: index })),
    setTable: assign((_, { isOpen }: { isOpen: boolean }) => ({ isTableOpen: isOpen })),
  },
}).createMachine({
  id: 'billingReports',
  context: ({ input }) => ({
    ...input,
    ...undecided,
    steps: USAGE_PERIODS,
    asked: askedProjects(input.view),
    report: null,
    measure: 'cost_micros',
    pointed: null,
    isTableOpen: false,
  }),
  invoke: { id: 'download', src: 'download' },
  initial: 'loading',
  on: {
    ...period.on,
    ...period.inSteps,
    'project.toggled': {
      guard: withEvent('isProject'),
      target: '.loading',
      actions: [withEvent('toggle'), TO_ADDRESS],
    },
    'projects.cleared': { guard: 'isNarrowed', target: '.loading', actions: ['clearProjects', TO_ADDRESS] },
  },
  states: {
    loading: {
      ...period.loading,
      states: {
        dating,
        fetching: {
          invoke: {
            ...fetching.invoke,
            onDone: [
              // The organization has none of the named projects: show all. The view mentions it.
              {
                guard: withOutput('areAllUnknown'),
                target: 'fetching',
                reenter: true,
                actions: [withOutput('setFigures'), 'askForAll'],
              },
              fetching.invoke.onDone,
            ],
          },
        },
      },
    },
    failed: period.failed,
    shown: {
      initial: 'deciding',
      on: { 'measure.chosen': { actions: withEvent('setMeasure') } },
      states: {
        deciding: { always: [{ guard: 'isEmpty', target: 'empty' }, { target: 'charted' }] },
        empty: { tags: 'empty' },
        charted: {
          tags: 'charted',
          on: {
            'bar.pointed': { actions: withEvent('setPointed') },
            'table.toggled': { actions: withEvent('setTable') },
          },
        },
      },
    },
  },
});

/** The chart's input from its route. */
export const reportsInput = (route: Route): Input => {
  if (!isReports(route)) throw new Error('The route is not the billing report.');
  return { orgUuid: route.orgUuid, view: viewOf(route) };
};

export type ReportsActor = ActorRefFrom<typeof reportsMachine>;
export type ReportsSnapshot = SnapshotFrom<typeof reportsMachine>;
