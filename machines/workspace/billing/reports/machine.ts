// Models the report of what the projects of an organization cost, step by step of a period that the address tells.
// Owned by the workspace while that screen is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { BillingReport, BillingReportRequest } from '#contract/billing.ts';
import { USAGE_PERIODS } from '#contract/usage.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import type { ReportsRoute, ReportsView, Route, RouteChanged } from '../../../shared/route.ts';
import { overPeriod } from '../../usage/overPeriod.ts';
import { decided, rangeShown, undecided, type PeriodContext, type PeriodEvent } from '../../usage/period.ts';
import { downloadMachine } from '../../download/machine.ts';
import { loadReport, readToday } from './actors.ts';
import { askedProjects, isOfStrangers, isSameView, namesOf, toggled, viewOf, withProjects } from './filter.ts';

type Input = {
  orgUuid: string;
  /** What the address asks for. */
  view: ReportsView;
};

/** What the bars stand for. */
export const MEASURES = ['cost_micros', 'requests', 'audio_ms'] as const;
export type ReportMeasure = (typeof MEASURES)[number];

export type ReportsContext = Omit<PeriodContext, 'view'> &
  Input & {
    /** Projects by UUID; none for all of them. */
    asked: readonly string[];
    /** Stays while another one is read. */
    report: BillingReport | null;
    measure: ReportMeasure;
    /** The step of the period that is looked at. */
    pointed: number | null;
    /** Whether the figures show as a table, too. */
    isTableOpen: boolean;
  };

const isReports = (route: Route): route is ReportsRoute => route.screen === 'billingReports';

const address = ({ orgUuid, view }: ReportsContext): ReportsRoute => ({ screen: 'billingReports', orgUuid, ...view });

/** What was chosen on the screen goes into the address. */
const TO_ADDRESS = {
  type: 'sendToApp',
  params: ({ context }: { context: ReportsContext }) => ({ type: 'navigate.requested', to: address(context) }) as const,
} as const;

/** What is asked of the server, for the screen and for the file alike. */
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
    isOfStrangers: ({ context: { asked } }, { projects }: BillingReport) => isOfStrangers(asked, projects),
    isEmpty: ({ context: { report } }) => report === null || report.series.length === 0,
  },
  actions: {
    ...period.actions,
    // A period that is chosen leaves the projects as they are.
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
    asked: [],
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
              // None of the projects that the address names is one of the organization: all of them show, and it is said.
              {
                guard: withOutput('isOfStrangers'),
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

/** The input of the chart that a route names. */
export const reportsInput = (route: Route): Input => {
  if (!isReports(route)) throw new Error('The route names no report.');
  return { orgUuid: route.orgUuid, view: viewOf(route) };
};

export type ReportsActor = ActorRefFrom<typeof reportsMachine>;
