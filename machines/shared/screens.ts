import type { Action } from '#contract/roles.ts';

/** Whether a screen belongs to an organization or a project, and the right that it needs (ORG-08). */
type ScreenFacts = { of: 'organization' | 'project'; needs: Action };

/** Every screen of an organization or a project. Types derive other tables from this: see `docs/contributing.md`. */
export const SCREENS = {
  organization: { of: 'organization', needs: 'organization.read' },
  members: { of: 'organization', needs: 'members.read' },
  invitation: { of: 'organization', needs: 'invitations.manage' },
  organizationLimits: { of: 'organization', needs: 'limits.read' },
  billingOverview: { of: 'organization', needs: 'billing.read' },
  billingReports: { of: 'organization', needs: 'billing.read' },
  costTable: { of: 'organization', needs: 'billing.read' },
  paymentSetup: { of: 'organization', needs: 'billing.read' },
  transactions: { of: 'organization', needs: 'billing.read' },
  organizationSettings: { of: 'organization', needs: 'organization.update' },
  auditLog: { of: 'organization', needs: 'audit.read' },
  project: { of: 'project', needs: 'project.read' },
  playground: { of: 'project', needs: 'playground.use' },
  apiKeys: { of: 'project', needs: 'apiKeys.manage' },
  webhooks: { of: 'project', needs: 'webhooks.read' },
  usageCost: { of: 'project', needs: 'usage.read' },
  usageActivity: { of: 'project', needs: 'usage.read' },
  logs: { of: 'project', needs: 'usage.read' },
  metrics: { of: 'project', needs: 'usage.read' },
  projectLimits: { of: 'project', needs: 'limits.read' },
  projectSettings: { of: 'project', needs: 'project.update' },
} as const satisfies Record<string, ScreenFacts>;

export type ScreenName = keyof typeof SCREENS;

export const isScreen = (name: string): name is ScreenName => Object.hasOwn(SCREENS, name);
