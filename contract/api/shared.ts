/** Addresses that routes of organizations and their projects share. */
export const ORGANIZATION = '/api/v2/organizations/{organization}/';
export const PROJECT = '/api/v2/projects/{project}/';
