/** The document title of every screen (NAV-08). */
import type { BillingPage, Route } from '#machines/route.ts';

const TITLES: Record<Route['screen'], string> = {
  signIn: 'Sign in',
  signUp: 'Sign up',
  activation: 'Activate your account',
  resendActivation: 'Resend activation e-mail',
  passwordRecovery: 'Recover your password',
  passwordReset: 'Choose a new password',
  ssoCallback: 'Single sign-on',
  invite: 'Invitation',
  home: 'Home',
  user: 'Your account',
  organization: 'Dashboard',
  members: 'Members',
  invitation: 'Invite a member',
  organizationLimits: 'Organization limits',
  organizationSettings: 'Organization settings',
  auditLog: 'Audit log',
  billing: 'Billing',
  project: 'Project',
  apiKeys: 'API keys',
  usageCost: 'Usage cost',
  usageActivity: 'Usage activity',
  logs: 'Logs',
  metrics: 'Metrics',
  projectLimits: 'Project limits',
  projectSettings: 'Project settings',
  playground: 'Speech-to-Text playground',
  notFound: 'Error 404',
};

const BILLING_TITLES: Record<BillingPage, string> = {
  overview: 'Billing overview',
  reports: 'Billing reports',
  costs: 'Cost table',
  'payment-setup': 'Payment setup',
  transactions: 'Transactions',
};

/** What the screen is called, without where it belongs. */
export const headingOf = (route: Route): string => (route.screen === 'billing' ? BILLING_TITLES[route.page] : TITLES[route.screen]);

/** `name` is the organization's or project's, where the screen belongs to one. */
export function titleOf(route: Route, productName: string, name?: string): string {
  return [headingOf(route), name, productName].filter(Boolean).join(' · ');
}
