import * as v from 'valibot';
import { ApiKeyCreate, ApiKeyCreated, ApiKeys, MadeApiKeys } from '../api-keys.ts';
import { AuditPage } from '../audit.ts';
import { Dashboard } from '../dashboard.ts';
import { PageQuery } from '../fields.ts';
import { Invitation, InvitationAccepted, InvitationCreate, Invitations, InvitationView, Member, Members, MemberUpdate, MemberRemoval, ProjectMember, ProjectMemberRemoval, ProjectMemberRequest, ProjectMembers } from '../members.ts';
import { OrganizationCreate, OrganizationCreated, OrganizationDetails, OrganizationUpdate, ProjectCreate, ProjectCreated, ProjectDetails, Projects, ProjectUpdate } from '../organizations.ts';
import { OrganizationUsageRequest, UsageActivity, UsageCost, UsageRequest } from '../usage.ts';
import type { ApiRoute } from './route.ts';

const ORGANIZATION = '/api/v2/organizations/{organization}/';
const PROJECT = '/api/v2/projects/{project}/';
const ACCEPT = '/api/v2/organizations/invite/{token}/';
const token = { token: v.string() };

/** What is not there or another's. */
const theirs = { 404: ['not_found'] };
/** The same, and what the role forbids. */
const managed = { 403: ['permission_denied'], ...theirs };
const deadLink = { 400: ['token_used', 'token_expired'], 404: ['token_not_found'] };

/** Organizations, their people and their projects (spec §7). */
export const ORGANIZATION_API: readonly ApiRoute[] = [
  { method: 'post', path: '/api/v2/organizations/', id: 'createOrganization', tag: 'Organizations', summary: 'Create an organization', access: 'bearer', body: { json: OrganizationCreate }, answers: { 201: OrganizationCreated }, errors: { 429: ['limit_exceeded'] } },
  { method: 'get', path: ORGANIZATION, id: 'readOrganization', tag: 'Organizations', summary: 'One organization', access: 'bearer', action: 'organization.read', answers: { 200: OrganizationDetails }, errors: theirs },
  { method: 'put', path: ORGANIZATION, id: 'updateOrganization', tag: 'Organizations', summary: 'Change the name and the contact', access: 'bearer', action: 'organization.update', body: { json: OrganizationUpdate }, answers: { 200: OrganizationDetails }, errors: managed },
  { method: 'delete', path: ORGANIZATION, id: 'deleteOrganization', tag: 'Organizations', summary: 'Delete an organization with all of its projects', access: 'bearer', action: 'organization.delete', answers: { 204: 'nothing' }, errors: managed },
  { method: 'get', path: `${ORGANIZATION}dashboard/`, id: 'readDashboard', tag: 'Organizations', summary: 'What was used this month', access: 'bearer', action: 'organization.read', answers: { 200: Dashboard }, errors: theirs },
  { method: 'post', path: `${ORGANIZATION}usage/cost/`, id: 'readOrganizationCost', tag: 'Organizations', summary: 'What the projects cost over a period, by service and model', access: 'bearer', action: 'usage.read', body: { json: OrganizationUsageRequest }, answers: { 200: UsageCost }, errors: theirs },
  { method: 'post', path: `${ORGANIZATION}usage/activity/`, id: 'readOrganizationActivity', tag: 'Organizations', summary: 'What the projects used over a period, by service and model', access: 'bearer', action: 'usage.read', body: { json: OrganizationUsageRequest }, answers: { 200: UsageActivity }, errors: theirs },
  { method: 'get', path: `${ORGANIZATION}audit/`, id: 'listAudit', tag: 'Organizations', summary: 'Who changed what, newest first', access: 'bearer', action: 'audit.read', query: PageQuery, answers: { 200: AuditPage }, errors: { 400: ['invalid_cursor'], ...managed } },

  { method: 'get', path: `${ORGANIZATION}users/`, id: 'listMembers', tag: 'Members', summary: 'The people of an organization, oldest first', access: 'bearer', action: 'members.read', answers: { 200: Members }, errors: theirs },
  { method: 'get', path: `${ORGANIZATION}users/{user}/`, id: 'readMember', tag: 'Members', summary: 'One of them', access: 'bearer', action: 'members.read', answers: { 200: Member }, errors: theirs },
  { method: 'put', path: `${ORGANIZATION}users/{user}/`, id: 'updateMember', tag: 'Members', summary: 'Give somebody another role', access: 'bearer', action: 'members.manage', body: { json: MemberUpdate }, answers: { 200: Member }, errors: { 400: ['last_owner'], ...managed } },
  { method: 'delete', path: `${ORGANIZATION}users/{user}/`, id: 'removeMember', tag: 'Members', summary: 'Remove somebody, or leave; on request with the API keys that they made', access: 'bearer', action: 'members.manage', query: MemberRemoval, answers: { 204: 'nothing' }, errors: { 400: ['last_owner'], ...managed } },
  { method: 'get', path: `${ORGANIZATION}users/{user}/api-keys/`, id: 'listMadeKeys', tag: 'Members', summary: 'API keys that somebody made in the organization; one\'s own need no role', access: 'bearer', action: 'members.manage', answers: { 200: MadeApiKeys }, errors: managed },

  { method: 'get', path: `${ORGANIZATION}invite/`, id: 'listInvitations', tag: 'Invitations', summary: 'Open invitations, newest first', access: 'bearer', action: 'invitations.manage', answers: { 200: Invitations }, errors: managed },
  { method: 'post', path: `${ORGANIZATION}invite/`, id: 'createInvitation', tag: 'Invitations', summary: 'Invite somebody by e-mail; an open invitation of theirs is mailed again or changed only on purpose', access: 'bearer', action: 'invitations.manage', body: { json: InvitationCreate }, answers: { 200: Invitation, 201: Invitation }, errors: { 400: ['already_member', 'already_invited', 'invitation_pending'], ...managed, 429: ['limit_exceeded'] } },
  { method: 'delete', path: `${ORGANIZATION}invite/{invitation}/`, id: 'revokeInvitation', tag: 'Invitations', summary: 'Take an invitation back', access: 'bearer', action: 'invitations.manage', answers: { 204: 'nothing' }, errors: managed },
  { method: 'get', path: ACCEPT, id: 'viewInvitation', tag: 'Invitations', summary: 'Whom an invitation is for', access: 'none', params: token, answers: { 200: InvitationView }, errors: deadLink },
  { method: 'post', path: ACCEPT, id: 'acceptInvitation', tag: 'Invitations', summary: 'Join the organization of an invitation', access: 'bearer', params: token, answers: { 200: InvitationAccepted }, errors: { ...deadLink, 400: [...deadLink[400], 'wrong_user'] } },

  { method: 'get', path: `${ORGANIZATION}projects/`, id: 'listProjects', tag: 'Projects', summary: 'Projects of an organization that the user sees, oldest first', access: 'bearer', action: 'project.read', answers: { 200: Projects }, errors: theirs },
  { method: 'post', path: `${ORGANIZATION}projects/`, id: 'createProject', tag: 'Projects', summary: 'Create a project', access: 'bearer', action: 'projects.create', body: { json: ProjectCreate }, answers: { 201: ProjectCreated }, errors: { ...managed, 429: ['limit_exceeded'] } },
  { method: 'get', path: PROJECT, id: 'readProject', tag: 'Projects', summary: 'One project', access: 'bearer', action: 'project.read', answers: { 200: ProjectDetails }, errors: theirs },
  { method: 'put', path: PROJECT, id: 'updateProject', tag: 'Projects', summary: 'Change the name and the description', access: 'bearer', action: 'project.update', body: { json: ProjectUpdate }, answers: { 200: ProjectDetails }, errors: managed },
  { method: 'delete', path: PROJECT, id: 'deleteProject', tag: 'Projects', summary: 'Delete a project with its files, transcriptions and keys', access: 'bearer', action: 'project.delete', answers: { 204: 'nothing' }, errors: managed },
  { method: 'get', path: `${PROJECT}users/`, id: 'listProjectMembers', tag: 'Projects', summary: 'Everybody who reaches a project', access: 'bearer', action: 'projectMembers.read', answers: { 200: ProjectMembers }, errors: theirs },
  { method: 'post', path: `${PROJECT}users/`, id: 'addProjectMember', tag: 'Projects', summary: 'Let a member of the organization see a project', access: 'bearer', action: 'projectMembers.manage', body: { json: ProjectMemberRequest }, answers: { 201: ProjectMember }, errors: managed },
  { method: 'delete', path: `${PROJECT}users/`, id: 'removeProjectMember', tag: 'Projects', summary: 'Take somebody out of a project; on request with the API keys that they made for it', access: 'bearer', action: 'projectMembers.manage', body: { json: ProjectMemberRemoval }, answers: { 204: 'nothing' }, errors: managed },
  { method: 'get', path: `${PROJECT}users/{user}/api-keys/`, id: 'listMadeProjectKeys', tag: 'Projects', summary: 'API keys of a project that somebody made', access: 'bearer', action: 'projectMembers.manage', answers: { 200: MadeApiKeys }, errors: managed },

  { method: 'post', path: `${PROJECT}usage/cost/`, id: 'readProjectCost', tag: 'Projects', summary: 'What a project cost over a period, by service and model', access: 'bearer', action: 'usage.read', body: { json: UsageRequest }, answers: { 200: UsageCost }, errors: theirs },
  { method: 'post', path: `${PROJECT}usage/activity/`, id: 'readProjectActivity', tag: 'Projects', summary: 'What a project used over a period, by service and model', access: 'bearer', action: 'usage.read', body: { json: UsageRequest }, answers: { 200: UsageActivity }, errors: theirs },

  { method: 'get', path: `${PROJECT}api-keys/`, id: 'listApiKeys', tag: 'API keys', summary: 'API keys of a project', access: 'bearer', action: 'apiKeys.manage', answers: { 200: ApiKeys }, errors: managed },
  { method: 'post', path: `${PROJECT}api-keys/`, id: 'createApiKey', tag: 'API keys', summary: 'Make an API key; only this answer holds it', access: 'bearer', action: 'apiKeys.manage', body: { json: ApiKeyCreate }, answers: { 201: ApiKeyCreated }, errors: { ...managed, 429: ['limit_exceeded'] } },
  { method: 'delete', path: `${PROJECT}api-keys/{key}/`, id: 'revokeApiKey', tag: 'API keys', summary: 'Revoke an API key', access: 'bearer', action: 'apiKeys.manage', answers: { 204: 'nothing' }, errors: managed },
];
