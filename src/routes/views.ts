/** The view of each screen, fetched when it opens. */
import type { ComponentType } from 'react';
import type { ScreenName } from '#machines/shared/screens.ts';

const organizationLimits = async () => (await import('../views/limits/LimitsPage.tsx')).OrganizationLimitsPage;
const projectLimits = async () => (await import('../views/limits/LimitsPage.tsx')).ProjectLimitsPage;
const usage = async () => (await import('../views/usage/UsagePage.tsx')).UsagePage;

export const VIEWS: Readonly<Record<ScreenName, () => Promise<ComponentType>>> = {
  organization: async () => (await import('../views/organization/DashboardPage.tsx')).DashboardPage,
  members: async () => (await import('../views/organization/MembersPage.tsx')).MembersPage,
  invitation: async () => (await import('../views/organization/InvitePage.tsx')).InvitePage,
  organizationLimits,
  billingOverview: async () => (await import('../views/billing/OverviewPage.tsx')).OverviewPage,
  billingReports: async () => (await import('../views/billing/ReportsPage.tsx')).ReportsPage,
  costTable: async () => (await import('../views/billing/CostTablePage.tsx')).CostTablePage,
  paymentSetup: async () => (await import('../views/billing/PaymentSetupPage.tsx')).PaymentSetupPage,
  transactions: async () => (await import('../views/billing/TransactionsPage.tsx')).TransactionsPage,
  organizationSettings: async () =>
    (await import('../views/organization/OrganizationSettingsPage.tsx')).OrganizationSettingsPage,
  auditLog: async () => (await import('../views/organization/AuditLogPage.tsx')).AuditLogPage,
  project: async () => (await import('../views/project/ProjectPage.tsx')).ProjectPage,
  playground: async () => (await import('../views/playground/PlaygroundPage.tsx')).PlaygroundPage,
  apiKeys: async () => (await import('../views/project/ApiKeysPage.tsx')).ApiKeysPage,
  webhooks: async () => (await import('../views/webhooks/WebhooksPage.tsx')).WebhooksPage,
  usageCost: usage,
  usageActivity: usage,
  logs: async () => (await import('../views/logs/LogsPage.tsx')).LogsPage,
  metrics: async () => (await import('../views/metrics/MetricsPage.tsx')).MetricsPage,
  projectLimits,
  projectSettings: async () => (await import('../views/project/ProjectSettingsPage.tsx')).ProjectSettingsPage,
};
