/** Addresses and errors that routes of organizations and their projects share. */
export const ORGANIZATION = '/api/v2/organizations/{organization}/';
export const PROJECT = '/api/v2/projects/{project}/';

/** What is not there or another's. */
export const theirs = { 404: ['not_found'] };
/** The same, and what the role forbids. */
export const managed = { 403: ['permission_denied'], ...theirs };
