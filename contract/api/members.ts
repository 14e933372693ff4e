import * as v from 'valibot';
import { MadeApiKeys } from '../api-keys.ts';
import {
  Invitation,
  InvitationAccepted,
  InvitationCreate,
  InvitationView,
  Invitations,
  Member,
  MemberRemoval,
  MemberUpdate,
  Members,
} from '../members.ts';
import type { Rows } from './route.ts';
import { ORGANIZATION } from './shared.ts';

const ACCEPT = '/api/v2/organizations/invite/{token}/';
const token = { token: v.string() };
const deadLink = { 400: ['token_used', 'token_expired'], 404: ['token_not_found'] };

/** Who belongs to an organization, and who is invited. (spec §7) */
export const MEMBER_CALLS = {
  listMembers: {
    method: 'get',
    path: `${ORGANIZATION}users/`,
    tag: 'Members',
    summary: 'List the people of an organization, oldest first',
    access: 'bearer',
    action: 'members.read',
    answers: { 200: Members },
  },
  readMember: {
    method: 'get',
    path: `${ORGANIZATION}users/{user}/`,
    tag: 'Members',
    summary: 'Get a person of an organization',
    access: 'bearer',
    action: 'members.read',
    answers: { 200: Member },
  },
  updateMember: {
    method: 'put',
    path: `${ORGANIZATION}users/{user}/`,
    tag: 'Members',
    summary: 'Give someone another role',
    access: 'bearer',
    action: 'members.manage',
    body: { json: MemberUpdate },
    answers: { 200: Member },
    errors: { 400: ['last_owner'] },
  },
  removeMember: {
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
  },
  listMadeKeys: {
    method: 'get',
    path: `${ORGANIZATION}users/{user}/api-keys/`,
    tag: 'Members',
    summary: 'List the API keys that a person made in the organization; every role may list their own',
    access: 'bearer',
    action: 'members.manage',
    own: true,
    answers: { 200: MadeApiKeys },
  },
  listInvitations: {
    method: 'get',
    path: `${ORGANIZATION}invite/`,
    tag: 'Invitations',
    summary: 'List open invitations, newest first',
    access: 'bearer',
    action: 'invitations.manage',
    answers: { 200: Invitations },
  },
  createInvitation: {
    method: 'post',
    path: `${ORGANIZATION}invite/`,
    tag: 'Invitations',
    summary: 'Invite a person by e-mail; if_pending says what happens to an open invitation',
    access: 'bearer',
    action: 'invitations.manage',
    body: { json: InvitationCreate },
    answers: { 200: Invitation, 201: Invitation },
    errors: { 400: ['already_member', 'already_invited', 'invitation_pending'], 429: ['limit_exceeded'] },
  },
  revokeInvitation: {
    method: 'delete',
    path: `${ORGANIZATION}invite/{invitation}/`,
    tag: 'Invitations',
    summary: 'Withdraw an invitation',
    access: 'bearer',
    action: 'invitations.manage',
    answers: { 204: 'nothing' },
  },
  viewInvitation: {
    method: 'get',
    path: ACCEPT,
    tag: 'Invitations',
    summary: 'Get an invitation',
    access: 'none',
    params: token,
    answers: { 200: InvitationView },
    errors: deadLink,
  },
  acceptInvitation: {
    method: 'post',
    path: ACCEPT,
    tag: 'Invitations',
    summary: 'Join the organization of an invitation',
    access: 'bearer',
    params: token,
    answers: { 200: InvitationAccepted },
    errors: { ...deadLink, 400: [...deadLink[400], 'wrong_user'] },
  },
} as const satisfies Rows;
