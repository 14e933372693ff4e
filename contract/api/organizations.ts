import { AuditPage } from '../audit.ts';
import { Dashboard } from '../dashboard.ts';
import { PageQuery } from '../fields.ts';
import {
  OrganizationCreate,
  OrganizationCreated,
  OrganizationDeletion,
  OrganizationDeletionQuery,
  OrganizationDetails,
  OrganizationUpdate,
} from '../organizations.ts';
import { OrganizationUsageRequest, UsageActivity, UsageCost } from '../usage.ts';
import type { Row } from './route.ts';
import { ORGANIZATION } from './shared.ts';

export const createOrganization = {
  method: 'post',
  path: '/api/v2/organizations/',
  tag: 'Organizations',
  summary: 'Create an organization',
  access: 'bearer',
  body: { json: OrganizationCreate },
  answers: { 201: OrganizationCreated },
  errors: { 429: ['limit_exceeded'] },
} as const satisfies Row;

export const readOrganization = {
  method: 'get',
  path: ORGANIZATION,
  tag: 'Organizations',
  summary: 'Get an organization',
  access: 'bearer',
  action: 'organization.read',
  answers: { 200: OrganizationDetails },
} as const satisfies Row;

export const updateOrganization = {
  method: 'put',
  path: ORGANIZATION,
  tag: 'Organizations',
  summary: 'Update the name and the contact',
  access: 'bearer',
  action: 'organization.update',
  body: { json: OrganizationUpdate },
  answers: { 200: OrganizationDetails },
} as const satisfies Row;

export const deleteOrganization = {
  method: 'delete',
  path: ORGANIZATION,
  tag: 'Organizations',
  summary: 'Delete an organization with all of its projects',
  access: 'bearer',
  action: 'organization.delete',
  query: OrganizationDeletionQuery,
  answers: { 204: 'nothing' },
  errors: { 409: ['payment_under_way', 'balance_negative', 'balance_positive'] },
} as const satisfies Row;

export const readOrganizationDeletion = {
  method: 'get',
  path: `${ORGANIZATION}deletion/`,
  tag: 'Organizations',
  summary: 'Get the balance that the deletion of an organization would lose',
  access: 'bearer',
  action: 'organization.delete',
  answers: { 200: OrganizationDeletion },
} as const satisfies Row;

export const readDashboard = {
  method: 'get',
  path: `${ORGANIZATION}dashboard/`,
  tag: 'Organizations',
  summary: 'Get the usage of this month',
  access: 'bearer',
  action: 'organization.read',
  answers: { 200: Dashboard },
} as const satisfies Row;

export const readOrganizationCost = {
  method: 'post',
  path: `${ORGANIZATION}usage/cost/`,
  tag: 'Organizations',
  summary: 'Get the cost of the projects over a period, by service and model',
  access: 'bearer',
  action: 'usage.read',
  body: { json: OrganizationUsageRequest },
  answers: { 200: UsageCost },
} as const satisfies Row;

export const readOrganizationActivity = {
  method: 'post',
  path: `${ORGANIZATION}usage/activity/`,
  tag: 'Organizations',
  summary: 'Get the usage of the projects over a period, by service and model',
  access: 'bearer',
  action: 'usage.read',
  body: { json: OrganizationUsageRequest },
  answers: { 200: UsageActivity },
} as const satisfies Row;

export const listAudit = {
  method: 'get',
  path: `${ORGANIZATION}audit/`,
  tag: 'Organizations',
  summary: 'List the audit log, newest first',
  access: 'bearer',
  action: 'audit.read',
  query: PageQuery,
  answers: { 200: AuditPage },
  errors: { 400: ['invalid_cursor'] },
} as const satisfies Row;

/** Organizations: details, usage and audit log. */
export const ORGANIZATION_CALLS = {
  createOrganization,
  readOrganization,
  updateOrganization,
  deleteOrganization,
  readOrganizationDeletion,
  readDashboard,
  readOrganizationCost,
  readOrganizationActivity,
  listAudit,
};
