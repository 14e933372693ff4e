/**
 * One row for each screen of an organization or a project. Addresses, routes, titles, sidebar, palette and short
 * addresses follow from the rows.
 */
import type { Destination } from '#machines/shared/route.ts';
import type { ScreenName } from '#machines/shared/screens.ts';
import { noDetails, optional, type PlaceMatch, query, type ScreenRow } from './row.ts';

const DAYS = ['start_date', 'end_date'] as const;
const period = query(...DAYS, 'period');

/** Any other mode means real-time (ASY-01). */
const modeOf = ({ search: { mode } }: PlaceMatch) => ({
  mode: mode === 'async' ? ('async' as const) : ('real-time' as const),
});
const live = () => ({ mode: 'real-time' as const });
const files = () => ({ mode: 'async' as const });
const PLAYGROUND = '/playground/speech-to-text';

export const ROWS: { readonly [Name in ScreenName]: ScreenRow<Name> } = {
  organization: {
    paths: ['/'],
    title: 'Dashboard',
    links: [{ icon: 'overview' }],
    view: async () => (await import('../views/organization/DashboardPage.tsx')).DashboardPage,
  },
  members: {
    paths: ['/members/'],
    title: 'Members',
    links: [{ icon: 'people', isBranch: true }],
    short: { '/org/members/': noDetails },
    view: async () => (await import('../views/organization/MembersPage.tsx')).MembersPage,
  },
  invitation: {
    paths: ['/members/invite/'],
    title: 'Invite a member',
    links: [],
    command: 'Invite a member',
    view: async () => (await import('../views/organization/InvitePage.tsx')).InvitePage,
  },
  organizationLimits: {
    paths: ['/limits/'],
    title: 'Organization limits',
    links: [{ label: 'Limits', icon: 'gauge' }],
    short: { '/org/limits/': noDetails },
    view: async () => (await import('../views/limits/LimitsPage.tsx')).OrganizationLimitsPage,
  },
  billingOverview: {
    paths: ['/billing/overview/'],
    title: 'Billing overview',
    links: [{ label: 'Overview', icon: 'card', folder: 'Billing' }],
    ...query(...DAYS, 'attempt'),
    aliases: { '/billing/': noDetails },
    short: { '/org/billing/': noDetails, '/org/billing/overview/': noDetails },
    view: async () => (await import('../views/billing/OverviewPage.tsx')).OverviewPage,
  },
  billingReports: {
    paths: ['/billing/reports/'],
    title: 'Billing reports',
    links: [{ label: 'Reports', icon: 'card', folder: 'Billing' }],
    ...query(...DAYS, 'project_ids', 'service_ids', 'period'),
    short: { '/org/billing/reports/': noDetails },
    view: async () => (await import('../views/billing/ReportsPage.tsx')).ReportsPage,
  },
  costTable: {
    paths: ['/billing/costs/'],
    title: 'Cost table',
    links: [{ icon: 'card', folder: 'Billing' }],
    ...query(...DAYS),
    short: { '/org/billing/costs/': noDetails },
    view: async () => (await import('../views/billing/CostTablePage.tsx')).CostTablePage,
  },
  paymentSetup: {
    paths: ['/billing/payment-setup/'],
    title: 'Payment setup',
    links: [{ icon: 'card', folder: 'Billing' }],
    ...query('attempt'),
    short: { '/org/billing/payment-setup/': noDetails },
    view: async () => (await import('../views/billing/PaymentSetupPage.tsx')).PaymentSetupPage,
  },
  transactions: {
    paths: ['/billing/transactions/'],
    title: 'Transactions',
    links: [{ icon: 'card', folder: 'Billing' }],
    ...query('kind', 'offset', 'limit'),
    short: { '/org/billing/transactions/': noDetails },
    view: async () => (await import('../views/billing/TransactionsPage.tsx')).TransactionsPage,
  },
  organizationSettings: {
    paths: ['/settings/'],
    title: 'Organization settings',
    links: [{ label: 'Settings', icon: 'gear' }],
    short: { '/org/settings/': noDetails },
    view: async () => (await import('../views/organization/OrganizationSettingsPage.tsx')).OrganizationSettingsPage,
  },
  auditLog: {
    paths: ['/audit/'],
    title: 'Audit log',
    links: [{ icon: 'scroll' }],
    view: async () => (await import('../views/organization/AuditLogPage.tsx')).AuditLogPage,
  },
  project: {
    paths: ['/'],
    title: 'Project',
    links: [{ label: 'Project home', icon: 'folder' }],
    view: async () => (await import('../views/project/ProjectPage.tsx')).ProjectPage,
  },
  playground: {
    paths: [`${PLAYGROUND}/`, `${PLAYGROUND}/new/$fileUuid/`, `${PLAYGROUND}/$transcriptionUuid/`],
    title: 'Speech-to-Text playground',
    crumb: 'Speech-to-Text',
    inSentence: 'playground',
    links: [
      { label: 'Speech-to-Text', icon: 'audio', folder: 'Playground', to: { mode: 'real-time' }, isBranch: true },
    ],
    isQueryOwn: true,
    read: (match) => {
      const { panel, show, lines, log } = match.search;
      return {
        ...modeOf(match),
        ...(panel === 'settings' || panel === 'history' ? { panel } : {}),
        ...(show === 'everything' || show === 'original' || show === 'translation' ? { show } : {}),
        ...(lines === 'on' || lines === 'off' ? { lines: lines === 'on' } : {}),
        ...(typeof log === 'string' ? { log } : {}),
        ...optional('transcriptionId', match.params['transcriptionUuid']),
        ...optional('fileId', match.params['fileUuid']),
      };
    },
    write: ({ mode, panel, show, lines, log, transcriptionId, fileId }) => ({
      search: { mode, panel, show, lines: lines === undefined ? undefined : lines ? 'on' : 'off', log },
      ...(transcriptionId
        ? { path: `${PLAYGROUND}/${encodeURIComponent(transcriptionId)}/` }
        : fileId
          ? { path: `${PLAYGROUND}/new/${encodeURIComponent(fileId)}/` }
          : {}),
    }),
    // The settings panel needs a file or a transcription (ASY-06).
    plain: (route) => {
      if (route.mode !== 'async' || route.panel !== 'settings' || route.transcriptionId || route.fileId) return route;
      const { panel: _, ...rest } = route;
      return rest;
    },
    aliases: { '/playground/': modeOf, '/playground/transcribe-file/': files, '/playground/transcribe-live/': live },
    short: {
      '/playground/': modeOf,
      '/playground/speech-to-text/': modeOf,
      '/playground/transcribe-live/': live,
      '/playground/transcribe-async/': files,
      '/org/projects/playground/speech-to-text/': modeOf,
    },
    view: async () => (await import('../views/playground/PlaygroundPage.tsx')).PlaygroundPage,
  },
  apiKeys: {
    paths: ['/api/keys/'],
    title: 'API keys',
    inSentence: 'API Keys',
    links: [{ icon: 'key' }],
    read: ({ search }) => (search['new'] === 'key' ? { isCreating: true } : {}),
    write: ({ isCreating }) => ({ search: { new: isCreating ? 'key' : undefined } }),
    short: { '/api-keys/': noDetails, '/org/projects/api/keys/': noDetails },
    view: async () => (await import('../views/project/ApiKeysPage.tsx')).ApiKeysPage,
  },
  webhooks: {
    paths: ['/api/webhooks/'],
    title: 'Webhooks',
    links: [{ icon: 'webhook' }],
    ...query('state', 'webhook'),
    view: async () => (await import('../views/webhooks/WebhooksPage.tsx')).WebhooksPage,
  },
  usageCost: {
    paths: ['/usage/cost/'],
    title: 'Usage cost',
    links: [{ label: 'Cost', icon: 'bars', folder: 'Usage' }],
    ...period,
    aliases: { '/usage/': period.read },
    short: { '/org/projects/usage/cost/': noDetails },
    view: async () => (await import('../views/usage/UsagePage.tsx')).UsagePage,
  },
  usageActivity: {
    paths: ['/usage/activity/'],
    title: 'Usage activity',
    links: [{ label: 'Activity', icon: 'bars', folder: 'Usage' }],
    ...period,
    short: { '/org/projects/usage/activity/': noDetails },
    view: async () => (await import('../views/usage/UsagePage.tsx')).UsagePage,
  },
  logs: {
    paths: ['/api/logs/'],
    title: 'Logs',
    links: [{ icon: 'logs' }],
    ...query('kind', 'status', 'model', 'key', 'reference', 'error', 'period', 'from', 'to', 'log'),
    view: async () => (await import('../views/logs/LogsPage.tsx')).LogsPage,
  },
  metrics: {
    paths: ['/metrics/'],
    title: 'Metrics',
    links: [{ icon: 'pulse' }],
    ...period,
    view: async () => (await import('../views/metrics/MetricsPage.tsx')).MetricsPage,
  },
  projectLimits: {
    paths: ['/limits/'],
    title: 'Project limits',
    links: [{ label: 'Limits', icon: 'gauge' }],
    short: { '/org/projects/limits/': noDetails },
    view: async () => (await import('../views/limits/LimitsPage.tsx')).ProjectLimitsPage,
  },
  projectSettings: {
    paths: ['/settings/'],
    title: 'Project settings',
    links: [{ label: 'Settings', icon: 'gear' }],
    short: { '/org/projects/settings/': noDetails },
    view: async () => (await import('../views/project/ProjectSettingsPage.tsx')).ProjectSettingsPage,
  },
};

/** The row of any screen, without its own types. */
export const rowOf = (name: ScreenName): ScreenRow => ROWS[name];

export const SCREEN_NAMES = Object.keys(ROWS) as ScreenName[];

/** A screen with the details of its address. */
export const destination = (screen: ScreenName, details: object): Destination =>
  ({ screen, ...details }) as Destination;
