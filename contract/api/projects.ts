import { ApiKey, ApiKeyCreate, ApiKeyCreated, ApiKeys, MadeApiKeys } from '../api-keys.ts';
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
  summary: 'List everyone who reaches a project',
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
  summary: 'Remove someone from a project; on request with the API keys that they made for it',
  access: 'bearer',
  action: 'projectMembers.manage',
  body: { json: ProjectMemberRemoval },
  answers: { 204: 'nothing' },
} as const satisfies Row;

export const listMadeProjectKeys = {
  method: 'get',
  path: `${PROJECT}users/{user}/api-keys/`,
  tag: 'Projects',
  summary: 'List the API keys of a project that someone made',
  access: 'bearer',
  action: 'projectMembers.manage',
  answers: { 200: MadeApiKeys },
} as const satisfies Row;

export const readProjectHome = {
  method: 'get',
  path: `${PROJECT}home/`,
  tag: 'Projects',
  summary: 'Get what a project used this month, how far it has come, and its last transcriptions',
  access: 'bearer',
  action: 'project.read',
  answers: { 200: ProjectHome },
} as const satisfies Row;

export const readProjectCost = {
  method: 'post',
  path: `${PROJECT}usage/cost/`,
  tag: 'Projects',
  summary: 'Get what a project cost over a period, by service and model',
  access: 'bearer',
  action: 'usage.read',
  body: { json: UsageRequest },
  answers: { 200: UsageCost },
} as const satisfies Row;

export const readProjectActivity = {
  method: 'post',
  path: `${PROJECT}usage/activity/`,
  tag: 'Projects',
  summary: 'Get what a project used over a period, by service and model',
  access: 'bearer',
  action: 'usage.read',
  body: { json: UsageRequest },
  answers: { 200: UsageActivity },
} as const satisfies Row;

export const listLogs = {
  method: 'get',
  path: `${PROJECT}logs/`,
  tag: 'Projects',
  summary: 'List the requests of a project that ended',
  description: 'The last that ended first. What the list can be filtered by comes with the first page.',
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
  summary: 'Download the requests of a project that ended, as CSV or JSON lines',
  description: 'Everything that the filters match, the last that ended first.',
  access: 'bearer',
  action: 'usage.read',
  query: LogExportQuery,
  answers: { 200: 'bytes' },
} as const satisfies Row;

export const readLog = {
  method: 'get',
  path: `${PROJECT}logs/{log}/`,
  tag: 'Projects',
  summary: 'Get a request that ended, with its settings while its transcription exists',
  access: 'bearer',
  action: 'usage.read',
  answers: { 200: LogDetails },
} as const satisfies Row;

export const readMetrics = {
  method: 'get',
  path: `${PROJECT}metrics/`,
  tag: 'Projects',
  summary: 'Get how the requests of a project went over a period, by service and model',
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
  summary: 'Create an API key; only this answer holds it',
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
  summary: 'Get an API key, such as to see whether it was used',
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

/** Projects, who reaches them, and their API keys. (spec §7) */
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
