import * as v from 'valibot';
import { Invitation, InvitationAccepted, InvitationCreate, InvitationView, Invitations } from '../members.ts';
import type { Row } from './route.ts';
import { ORGANIZATION } from './shared.ts';

const ACCEPT = '/api/v2/organizations/invite/{token}/';
const token = { token: v.string() };
const deadLink = { 400: ['token_used', 'token_expired', 'token_revoked'], 404: ['token_not_found'] };

export const listInvitations = {
  method: 'get',
  path: `${ORGANIZATION}invite/`,
  tag: 'Invitations',
  summary: 'List open invitations, newest first',
  access: 'bearer',
  action: 'invitations.manage',
  answers: { 200: Invitations },
} as const satisfies Row;

export const createInvitation = {
  method: 'post',
  path: `${ORGANIZATION}invite/`,
  tag: 'Invitations',
  summary: 'Invite a person by e-mail; if_pending says what happens to an open invitation',
  access: 'bearer',
  action: 'invitations.manage',
  body: { json: InvitationCreate },
  answers: { 200: Invitation, 201: Invitation },
  errors: { 400: ['already_member', 'already_invited', 'invitation_pending'], 429: ['limit_exceeded'] },
} as const satisfies Row;

export const revokeInvitation = {
  method: 'delete',
  path: `${ORGANIZATION}invite/{invitation}/`,
  tag: 'Invitations',
  summary: 'Withdraw an invitation',
  access: 'bearer',
  action: 'invitations.manage',
  answers: { 204: 'nothing' },
} as const satisfies Row;

export const viewInvitation = {
  method: 'get',
  path: ACCEPT,
  tag: 'Invitations',
  summary: 'Get an invitation',
  access: 'none',
  params: token,
  answers: { 200: InvitationView },
  errors: deadLink,
} as const satisfies Row;

export const acceptInvitation = {
  method: 'post',
  path: ACCEPT,
  tag: 'Invitations',
  summary: 'Join the organization of an invitation',
  access: 'bearer',
  params: token,
  answers: { 200: InvitationAccepted },
  errors: { ...deadLink, 400: [...deadLink[400], 'wrong_user'] },
} as const satisfies Row;

/** Who is invited to an organization, and what an invited person calls. */
export const INVITATION_CALLS = {
  listInvitations,
  createInvitation,
  revokeInvitation,
  viewInvitation,
  acceptInvitation,
};
