// Models the report of what the projects of an organization cost, step by step of a period that the address tells.
// Owned by the workspace while that screen is open.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { BillingReport, BillingReportRequest } from '#contract/billing.ts';
import { USAGE_PERIODS, type UsagePeriod } from '#contract/usage.ts';
import { type Failure, failureOf } from '../../../shared/failure.ts';
import { given, givenOutput } from '../../../shared/given.ts';
import { announce, type NavigateRequested } from '../../../shared/residents.ts';
import type { ReportsRoute, ReportsView, Route, RouteChanged } from '../../../shared/route.ts';
import { UNREAD } from '../../../shared/unread.ts';
import {
  adopted,
  chosenDays,
  daysProblem,
  decided,
  mayStep,
  undecided,
  type Days,
  type PeriodContext,
  type PeriodEvent,
} from '../../usage/period.ts';
import { shownRange, type Preset } from '../../usage/range.ts';
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
    failure: Failure | null;
    measure: ReportMeasure;
    /** The step of the period that is looked at. */
    pointed: number | null;
  };

const isReports = (route: Route): route is ReportsRoute => route.screen === 'billingReports';

/** What was chosen on the screen goes into the address. */
const TO_ADDRESS = {
  type: 'announce',
  params: ({ context: { orgUuid, view } }: { context: ReportsContext }) =>
    ({ type: 'navigate.requested', to: { screen: 'billingReports', orgUuid, ...view } }) as const,
} as const;

/** What is asked of the server, for the screen and for the file alike. */
export const requestOf = ({
  view,
  range,
  today,
  asked,
}: Pick<ReportsContext, 'view' | 'range' | 'today' | 'asked'>): BillingReportRequest => ({
  ...(range ?? shownRange(view, today ?? '')),
  ...(asked.length === 0 ? {} : { project_ids: [...asked] }),
});

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
      | { type: 'bar.pointed'; index: number | null };
    tags: 'loading' | 'failed' | 'empty' | 'charted';
    children: { readToday: 'readToday'; loadReport: 'loadReport'; download: 'download' };
  },
  actors: { readToday, loadReport, download: downloadMachine },
  guards: {
    isOther: ({ context }, { route }: { route: Route }) => isReports(route) && !isSameView(route, context.view),
    isChosen: ({ context: { wanted } }) => wanted !== null,
    isInSteps: ({ context }, { period }: { period: UsagePeriod }) => mayStep(context, period),
    isPeriod: ({ context }, days: Days) => daysProblem(context, days) === null,
    isProject: ({ context: { report } }, { project }: { project: string }) =>
      report !== null && report.projects.some(({ uuid }) => uuid === project),
    isNarrowed: ({ context: { view } }) => view.project_ids !== undefined,
    isOfStrangers: ({ context: { asked } }, { projects }: BillingReport) => isOfStrangers(asked, projects),
    isEmpty: ({ context: { report } }) => report === null || report.series.length === 0,
  },
  actions: {
    adoptView: assign((_, { route }: { route: Route }) =>
      isReports(route) ? { ...adopted(route), view: viewOf(route) } : {},
    ),
    wantPreset: assign((_, { preset }: { preset: Preset }) => ({ wanted: preset, problem: null })),
    wantSteps: assign(({ context: { range } }, { period }: { period: UsagePeriod }) => ({
      wanted: range && { ...range, period },
      problem: null,
    })),
    wantDays: assign(({ context }, days: Days) => ({ wanted: chosenDays(context, days), problem: null })),
    forgetProblem: assign({ problem: null }),
    keepProblem: assign(({ context }, days: Days) => ({ problem: daysProblem(context, days) })),
    // A period that is chosen leaves the projects as they are.
    decide: assign(({ context }, today: string) => {
      const { view, ...period } = decided(context, today);
      const asked = askedProjects(context.view);
      return { ...period, asked, ...(view === undefined ? {} : { view: { ...view, ...namesOf(context.view) } }) };
    }),
    toggle: assign(({ context: { view, asked, report } }, { project }: { project: string }) => ({
      view: withProjects(view, toggled(asked, report?.projects ?? [], project)),
    })),
    clearProjects: assign(({ context: { view } }) => ({ view: withProjects(view, []) })),
    askForAll: assign({ asked: [] }),
    keepReport: assign((_, report: BillingReport) => ({ report, failure: null, pointed: null })),
    keepFailure: assign(failureOf),
    keepMeasure: assign((_, { measure }: { measure: ReportMeasure }) => ({ measure })),
    keepPointed: assign((_, { index }: { index: number | null }) => ({ pointed: index })),
    announce: announce<NavigateRequested>(),
  },
}).createMachine({
  id: 'billingReports',
  context: ({ input }) => ({
    ...input,
    ...undecided,
    steps: USAGE_PERIODS,
    asked: [],
    report: null,
    failure: null,
    measure: 'cost_micros',
    pointed: null,
  }),
  invoke: { id: 'download', src: 'download' },
  initial: 'loading',
  on: {
    'route.changed': { guard: given('isOther'), target: '.loading', actions: given('adoptView') },
    'preset.chosen': { target: '.loading', actions: given('wantPreset') },
    'period.chosen': { guard: given('isInSteps'), target: '.loading', actions: given('wantSteps') },
    // What was wrong with the days is being mended.
    'days.edited': { actions: 'forgetProblem' },
    'days.submitted': [
      { guard: given('isPeriod'), target: '.loading', actions: given('wantDays') },
      { actions: given('keepProblem') },
    ],
    'project.toggled': { guard: given('isProject'), target: '.loading', actions: [given('toggle'), TO_ADDRESS] },
    'projects.cleared': { guard: 'isNarrowed', target: '.loading', actions: ['clearProjects', TO_ADDRESS] },
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
              { guard: 'isChosen', target: 'fetching', actions: [givenOutput('decide'), TO_ADDRESS] },
              { target: 'fetching', actions: givenOutput('decide') },
            ],
            onError: { target: '#billingReports.failed', actions: given('keepFailure') },
          },
        },
        fetching: {
          invoke: {
            id: 'loadReport',
            src: 'loadReport',
            input: ({ context }) => ({ orgUuid: context.orgUuid, request: requestOf(context) }),
            onDone: [
              // None of the projects that the address names is one of the organization: all of them show, and it is said.
              {
                guard: givenOutput('isOfStrangers'),
                target: 'fetching',
                reenter: true,
                actions: [givenOutput('keepReport'), 'askForAll'],
              },
              { target: '#billingReports.shown', actions: givenOutput('keepReport') },
            ],
            onError: { target: '#billingReports.failed', actions: given('keepFailure') },
          },
        },
      },
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
    shown: {
      initial: 'deciding',
      on: { 'measure.chosen': { actions: given('keepMeasure') } },
      states: {
        deciding: { always: [{ guard: 'isEmpty', target: 'empty' }, { target: 'charted' }] },
        empty: { tags: 'empty' },
        charted: { tags: 'charted', on: { 'bar.pointed': { actions: given('keepPointed') } } },
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
