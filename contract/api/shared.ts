/** Addresses that routes of organizations and their projects share. */
export const ORGANIZATION = '/api/v2/organizations/{organization}/';
export const PROJECT = '/api/v2/projects/{project}/';

/** Errors of every step of single sign-on. */
export const SSO_ERRORS = { 404: ['sso_not_configured'], 429: ['limit_exceeded'], 503: ['sso_unavailable'] } as const;
