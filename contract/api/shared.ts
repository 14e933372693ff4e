/** Addresses that routes of organizations and their projects share. */
export const ORGANIZATION = '/api/v2/organizations/{organization}/';
export const PROJECT = '/api/v2/projects/{project}/';

/** Errors of every step of single sign-on. */
export const SSO_ERRORS = { 404: ['sso_not_configured'], 429: ['limit_exceeded'], 503: ['sso_unavailable'] } as const;

/** Errors when a balance or a budget is used up. */
export const EXHAUSTED = [
  'organization_balance_exhausted',
  'organization_monthly_budget_exhausted',
  'project_monthly_budget_exhausted',
] as const;
