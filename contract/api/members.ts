import { MemberApiKeys } from '../api-keys.ts';
import { Member, MemberRemoval, MemberUpdate, Members } from '../members.ts';
import type { Row } from './route.ts';
import { ORGANIZATION } from './shared.ts';

export const listMembers = {
  method: 'get',
  path: `${ORGANIZATION}users/`,
  tag: 'Members',
  summary: 'List the people of an organization, oldest first',
  access: 'bearer',
  action: 'members.read',
  answers: { 200: Members },
} as const satisfies Row;

export const readMember = {
  method: 'get',
  path: `${ORGANIZATION}users/{user}/`,
  tag: 'Members',
  summary: 'Get a person of an organization',
  access: 'bearer',
  action: 'members.read',
  answers: { 200: Member },
} as const satisfies Row;

export const updateMember = {
  method: 'put',
  path: `${ORGANIZATION}users/{user}/`,
  tag: 'Members',
  summary: 'Give someone another role',
  access: 'bearer',
  action: 'members.manage',
  body: { json: MemberUpdate },
  answers: { 200: Member },
  errors: { 400: ['last_owner'] },
} as const satisfies Row;

export const removeMember = {
  method: 'delete',
  path: `${ORGANIZATION}users/{user}/`,
  tag: 'Members',
  summary: 'Remove a person, or leave; on request also revoke the API keys that they made',
  access: 'bearer',
  action: 'members.manage',
  own: true,
  query: MemberRemoval,
  answers: { 204: 'nothing' },
  errors: { 400: ['last_owner'] },
} as const satisfies Row;

export const listMemberKeys = {
  method: 'get',
  path: `${ORGANIZATION}users/{user}/api-keys/`,
  tag: 'Members',
  summary: 'List the API keys that a person made in the organization; every role may list their own',
  access: 'bearer',
  action: 'members.manage',
  own: true,
  answers: { 200: MemberApiKeys },
} as const satisfies Row;

/** Who belongs to an organization. */
export const MEMBER_CALLS = {
  listMembers,
  readMember,
  updateMember,
  removeMember,
  listMemberKeys,
};
