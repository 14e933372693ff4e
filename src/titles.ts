/** The document title of every screen (NAV-08). */
import type { BillingPage, Destination, Route } from '#machines/shared/route.ts';

type OwnTitle = Exclude<Route['screen'], 'billing' | 'redirect'>;

const TITLES: Record<OwnTitle, string> = {
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
export function headingOf(route: Route | Destination): string {
  if (route.screen === 'billing') return BILLING_TITLES[route.page];
  return route.screen === 'redirect' ? `Failed to redirect into ${nameOf(route.into)}...` : TITLES[route.screen];
}

/** A screen in the middle of a sentence; two are spelled as the specification does (spec §2). */
function nameOf(into: Destination): string {
  if (into.screen === 'apiKeys') return 'API Keys';
  return into.screen === 'playground' ? 'playground' : headingOf(into).toLowerCase();
}

/** `name` is the organization's or project's, where the screen belongs to one. */
export function titleOf(route: Route, productName: string, name?: string): string {
  return [headingOf(route), name, productName].filter(Boolean).join(' · ');
}
