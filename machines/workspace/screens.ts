// The chart and input of each screen. A screen without a row needs no chart: it shows the workspace's context.
import type { AnyActorLogic, InputFrom } from 'xstate';
import { playgroundMachine, type PlaygroundInput } from '../playground/machine.ts';
import type { ScreenName } from '../shared/screens.ts';
import { personAt, placeOf } from './access.ts';
import { apiKeysMachine } from './apiKeys/machine.ts';
import { auditLogMachine } from './auditLog/machine.ts';
import { costsInput, costsMachine } from './billing/costs/machine.ts';
import { reportsInput, reportsMachine } from './billing/reports/machine.ts';
import { transactionsInput, transactionsMachine } from './billing/transactions/machine.ts';
import { overviewInput, overviewMachine } from './billing/overview/machine.ts';
import { dashboardMachine } from './dashboard/machine.ts';
import { paymentSetupMachine, setupInput } from './billing/setup/machine.ts';
import { invitationMachine } from './invitation/machine.ts';
import { organizationLimitsMachine, projectLimitsMachine } from './limits/machine.ts';
import { logsInput, logsMachine } from './logs/machine.ts';
import { membersMachine } from './members/machine.ts';
import { metricsInput, metricsMachine } from './metrics/machine.ts';
import { projectHomeMachine } from './projectHome/machine.ts';
import { organizationSettings } from './settings/organization.ts';
import { projectSettings } from './settings/project.ts';
import { membershipOf } from './select.ts';
import type { Subject } from './stale.ts';
import type { WorkspaceContext } from './context.ts';
import { usageInput, usageMachine } from './usage/machine.ts';
import { webhooksInput, webhooksMachine } from './webhooks/machine.ts';

type Row<Logic extends AnyActorLogic> = {
  chart: Logic;
  input: (context: WorkspaceContext) => InputFrom<Logic>;
  /** The chart depends on the person's role, and restarts when that changes. */
  isOfRole?: true;
  /** The chart gets `route.changed` while its screen stays open. */
  hearsRoute?: true;
  /** The chart gets `screen.stale` when somebody else may have changed this. */
  shows?: Subject;
  /** The chart gets all changes made elsewhere, and learns if a part of the page cannot be drawn. */
  hearsAll?: true;
  /** The workspace keeps the chart's output for when the person comes back (CON-02). */
  isKept?: true;
};

const row = <Logic extends AnyActorLogic>(of: Row<Logic>) => of;

const limitsInput = (context: WorkspaceContext) => ({ ...placeOf(context), role: personAt(context).role });

const settingsInput = (context: WorkspaceContext) => ({
  ...placeOf(context),
  role: personAt(context).role,
  drafts: context.drafts,
});

function playgroundInput(context: WorkspaceContext): PlaygroundInput {
  const { route, savedPlayground, browserLanguages } = context;
  if (route.screen !== 'playground') throw new Error('The route names no playground.');
  const { orgUuid, projectUuid } = route;
  const featureFlags = membershipOf(context.memberships, orgUuid)?.organization.feature_flags ?? [];
  const saved = savedPlayground?.projectUuid === projectUuid ? savedPlayground : null;
  return { orgUuid, projectUuid, route, featureFlags, browserLanguages, saved };
}

export const SCREEN_CHARTS = {
  organization: row({
    chart: dashboardMachine,
    input: (context) => ({ orgUuid: placeOf(context).orgUuid, role: personAt(context).role }),
    isOfRole: true,
  }),
  members: row({ chart: membersMachine, input: personAt, isOfRole: true, shows: 'members' }),
  invitation: row({
    chart: invitationMachine,
    input: (context) => ({ ...personAt(context), drafts: context.drafts }),
    isOfRole: true,
  }),
  organizationSettings: row({
    chart: organizationSettings.machine,
    input: settingsInput,
    isOfRole: true,
    shows: 'organization',
  }),
  organizationLimits: row({
    chart: organizationLimitsMachine,
    input: limitsInput,
    isOfRole: true,
    shows: 'limits',
  }),
  billingReports: row({ chart: reportsMachine, input: ({ route }) => reportsInput(route), hearsRoute: true }),
  costTable: row({ chart: costsMachine, input: ({ route }) => costsInput(route), hearsRoute: true }),
  transactions: row({
    chart: transactionsMachine,
    input: ({ route }) => transactionsInput(route),
    hearsRoute: true,
    shows: 'billing',
  }),
  billingOverview: row({
    chart: overviewMachine,
    input: ({ route }) => overviewInput(route),
    hearsRoute: true,
    shows: 'billing',
  }),
  paymentSetup: row({
    chart: paymentSetupMachine,
    input: ({ route, drafts }) => setupInput(route, drafts),
    hearsRoute: true,
    shows: 'billing',
  }),
  auditLog: row({ chart: auditLogMachine, input: (context) => ({ of: placeOf(context).orgUuid }) }),
  project: row({ chart: projectHomeMachine, input: placeOf, shows: 'logs' }),
  playground: row({
    chart: playgroundMachine,
    input: playgroundInput,
    hearsRoute: true,
    hearsAll: true,
    isKept: true,
  }),
  apiKeys: row({
    chart: apiKeysMachine,
    input: (context) => ({
      ...placeOf(context),
      drafts: context.drafts,
      isAsked: context.route.screen === 'apiKeys' && context.route.isCreating === true,
    }),
  }),
  webhooks: row({
    chart: webhooksMachine,
    input: (context) => ({ ...webhooksInput(context.route), role: personAt(context).role }),
    isOfRole: true,
    hearsRoute: true,
    shows: 'webhooks',
  }),
  projectSettings: row({
    chart: projectSettings.machine,
    input: settingsInput,
    isOfRole: true,
    shows: 'project',
  }),
  projectLimits: row({ chart: projectLimitsMachine, input: limitsInput, isOfRole: true, shows: 'limits' }),
  usageCost: row({ chart: usageMachine, input: ({ route }) => usageInput(route), hearsRoute: true }),
  usageActivity: row({ chart: usageMachine, input: ({ route }) => usageInput(route), hearsRoute: true }),
  logs: row({ chart: logsMachine, input: ({ route }) => logsInput(route), hearsRoute: true, shows: 'logs' }),
  metrics: row({ chart: metricsMachine, input: ({ route }) => metricsInput(route), hearsRoute: true }),
} satisfies Partial<Record<ScreenName, { chart: AnyActorLogic; input: (context: WorkspaceContext) => unknown }>>;

/** A screen that has a chart; its actor has its name. */
export type ChartedScreen = keyof typeof SCREEN_CHARTS;

/** The charts by screen name, for `setup` and for `provide`. */
export type ScreenCharts = { [Name in ChartedScreen]: (typeof SCREEN_CHARTS)[Name]['chart'] };

export const CHARTED = Object.keys(SCREEN_CHARTS) as ChartedScreen[];
export const screenCharts = Object.fromEntries(
  CHARTED.map((name) => [name, SCREEN_CHARTS[name].chart]),
) as ScreenCharts;
