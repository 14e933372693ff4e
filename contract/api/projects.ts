import { ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeys, MemberApiKeys } from '../api-keys.ts';
import { LogDetails, LogExportQuery, LogPage, LogQuery } from '../logs.ts';
import { ProjectMember, ProjectMemberRemoval, ProjectMemberRequest, ProjectMembers } from '../members.ts';
import { Metrics, MetricsQuery } from '../metrics.ts';
import { ProjectCreate, ProjectCreated, ProjectDetails, ProjectUpdate, Projects } from '../organizations.ts';
import { ProjectHome } from '../project-home.ts';
import { UsageActivity, UsageCost, UsageRequest } from '../usage.ts';
import type { Row } from './route.ts';
import { ORGANIZATION, PROJECT } from './shared.ts';

export const listProjects = {
  method: 'get',
  path: `${ORGANIZATION}projects/`,
  tag: 'Projects',
  summary: 'List the projects of an organization that the user sees',
  access: 'bearer',
  action: 'project.read',
  answers: { 200: Projects },
} as const satisfies Row;

export const createProject = {
  method: 'post',
  path: `${ORGANIZATION}projects/`,
  tag: 'Projects',
  summary: 'Create a project',
  access: 'bearer',
  action: 'projects.create',
  body: { json: ProjectCreate },
  answers: { 201: ProjectCreated },
  errors: { 429: ['limit_exceeded'] },
} as const satisfies Row;

export const readProject = {
  method: 'get',
  path: PROJECT,
  tag: 'Projects',
  summary: 'Get a project',
  access: 'bearer',
  action: 'project.read',
  answers: { 200: ProjectDetails },
} as const satisfies Row;

export const updateProject = {
  method: 'put',
  path: PROJECT,
  tag: 'Projects',
  summary: 'Update the name and the description',
  access: 'bearer',
  action: 'project.update',
  body: { json: ProjectUpdate },
  answers: { 200: ProjectDetails },
} as const satisfies Row;

export const deleteProject = {
  method: 'delete',
  path: PROJECT,
  tag: 'Projects',
  summary: 'Delete a project with its files, transcriptions and keys',
  access: 'bearer',
  action: 'project.delete',
  answers: { 204: 'nothing' },
} as const satisfies Row;

export const listProjectMembers = {
  method: 'get',
  path: `${PROJECT}users/`,
  tag: 'Projects',
  summary: 'List everyone with access to a project',
  access: 'bearer',
  action: 'projectMembers.read',
  answers: { 200: ProjectMembers },
} as const satisfies Row;

export const addProjectMember = {
  method: 'post',
  path: `${PROJECT}users/`,
  tag: 'Projects',
  summary: 'Add a member of the organization to a project',
  access: 'bearer',
  action: 'projectMembers.manage',
  body: { json: ProjectMemberRequest },
  answers: { 201: ProjectMember },
} as const satisfies Row;

export const removeProjectMember = {
  method: 'delete',
  path: `${PROJECT}users/`,
  tag: 'Projects',
  summary: 'Remove a person from a project; on request also revoke the API keys that they made for it',
  access: 'bearer',
  action: 'projectMembers.manage',
  body: { json: ProjectMemberRemoval },
  answers: { 204: 'nothing' },
} as const satisfies Row;

export const listMadeProjectKeys = {
  method: 'get',
  path: `${PROJECT}users/{user}/api-keys/`,
  tag: 'Projects',
  summary: 'List the API keys of a project that a person made',
  access: 'bearer',
  action: 'projectMembers.manage',
  answers: { 200: MemberApiKeys },
} as const satisfies Row;

export const readProjectHome = {
  method: 'get',
  path: `${PROJECT}home/`,
  tag: 'Projects',
  summary: 'Get the first steps of a project, its usage this month, and its last transcriptions',
  access: 'bearer',
  action: 'project.read',
  answers: { 200: ProjectHome },
} as const satisfies Row;

export const readProjectCost = {
  method: 'post',
  path: `${PROJECT}usage/cost/`,
  tag: 'Projects',
  summary: 'Get the cost of a project over a period, by service and model',
  access: 'bearer',
  action: 'usage.read',
  body: { json: UsageRequest },
  answers: { 200: UsageCost },
} as const satisfies Row;

export const readProjectActivity = {
  method: 'post',
  path: `${PROJECT}usage/activity/`,
  tag: 'Projects',
  summary: 'Get the usage of a project over a period, by service and model',
  access: 'bearer',
  action: 'usage.read',
  body: { json: UsageRequest },
  answers: { 200: UsageActivity },
} as const satisfies Row;

export const listLogs = {
  method: 'get',
  path: `${PROJECT}logs/`,
  tag: 'Projects',
  summary: 'List the ended requests of a project',
  description: 'The last ended first. The first page has the values for the filters.',
  access: 'bearer',
  action: 'usage.read',
  query: LogQuery,
  answers: { 200: LogPage },
  errors: { 400: ['invalid_cursor'] },
} as const satisfies Row;

export const exportLogs = {
  method: 'get',
  path: `${PROJECT}logs/export/`,
  tag: 'Projects',
  summary: 'Download the ended requests of a project, as CSV or JSON lines',
  description: 'All that the filters match, the last ended first.',
  access: 'bearer',
  action: 'usage.read',
  query: LogExportQuery,
  answers: { 200: 'bytes' },
} as const satisfies Row;

export const readLog = {
  method: 'get',
  path: `${PROJECT}logs/{log}/`,
  tag: 'Projects',
  summary: 'Get an ended request; with its settings while its transcription exists',
  access: 'bearer',
  action: 'usage.read',
  answers: { 200: LogDetails },
} as const satisfies Row;

export const readMetrics = {
  method: 'get',
  path: `${PROJECT}metrics/`,
  tag: 'Projects',
  summary: 'Get requests, errors and latencies of a project over a period, by service and model',
  access: 'bearer',
  action: 'usage.read',
  query: MetricsQuery,
  answers: { 200: Metrics },
} as const satisfies Row;

export const listApiKeys = {
  method: 'get',
  path: `${PROJECT}api-keys/`,
  tag: 'API keys',
  summary: 'List the API keys of a project',
  access: 'bearer',
  action: 'apiKeys.manage',
  answers: { 200: ApiKeys },
} as const satisfies Row;

export const createApiKey = {
  method: 'post',
  path: `${PROJECT}api-keys/`,
  tag: 'API keys',
  summary: 'Create an API key; only this answer contains it',
  access: 'bearer',
  action: 'apiKeys.manage',
  body: { json: ApiKeyCreate },
  answers: { 201: ApiKeyCreated },
  errors: { 429: ['limit_exceeded'] },
} as const satisfies Row;

export const readApiKey = {
  method: 'get',
  path: `${PROJECT}api-keys/{key}/`,
  tag: 'API keys',
  summary: 'Get an API key, for example to see whether it was used',
  access: 'bearer',
  action: 'apiKeys.manage',
  answers: { 200: ApiKey },
} as const satisfies Row;

export const revokeApiKey = {
  method: 'delete',
  path: `${PROJECT}api-keys/{key}/`,
  tag: 'API keys',
  summary: 'Revoke an API key',
  access: 'bearer',
  action: 'apiKeys.manage',
  answers: { 204: 'nothing' },
} as const satisfies Row;

/** Projects, the people with access to them, usage, logs and API keys. */
export const PROJECT_CALLS = {
  listProjects,
  createProject,
  readProject,
  updateProject,
  deleteProject,
  listProjectMembers,
  addProjectMember,
  removeProjectMember,
  listMadeProjectKeys,
  readProjectHome,
  readProjectCost,
  readProjectActivity,
  listLogs,
  exportLogs,
  readLog,
  readMetrics,
  listApiKeys,
  createApiKey,
  readApiKey,
  revokeApiKey,
};
