import { ConsoleEvent } from '../events.ts';
import { Memberships, Welcome } from '../organizations.ts';
import type { Row } from './route.ts';

export const listMemberships = {
  method: 'get',
  path: '/api/v2/user/organizations/',
  tag: 'User',
  summary: 'List organizations and projects of the signed-in user',
  access: 'bearer',
  answers: { 200: Memberships },
} as const satisfies Row;

export const welcomeUser = {
  method: 'post',
  path: '/api/v2/user/welcome/',
  tag: 'User',
  summary: 'Create the first organization and project of a new account',
  access: 'bearer',
  answers: { 200: Welcome },
} as const satisfies Row;

export const followEvents = {
  method: 'get',
  path: '/api/v2/events/',
  tag: 'User',
  summary: 'Stream changes',
  description:
    'Changes that concern the signed-in user, as server-sent events. The stream begins with `resync`, has a comment when nothing happens, and ends with the access token or the session.',
  access: 'bearer',
  answers: { 200: { events: ConsoleEvent } },
  errors: { 429: ['limit_exceeded'] },
} as const satisfies Row;

/** What the signed-in user belongs to. */
export const MEMBERSHIP_CALLS = {
  listMemberships,
  welcomeUser,
  followEvents,
};
