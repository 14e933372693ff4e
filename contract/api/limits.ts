import {
  LimitConfiguration,
  LimitIncrease,
  LimitIncreaseRequest,
  LimitsUpdate,
  OrganizationLimits,
  ProjectLimits,
} from '../limits.ts';
import type { Row } from './route.ts';

const ORGANIZATION_LIMITS = '/api/v2/limits/organizations/{organization}/';
const PROJECT_LIMITS = '/api/v2/limits/projects/{project}/';

const tag = 'Limits';
/** JSON Schema cannot say this. */
const description =
  'audio_minutes have three decimals: `used` is rounded down, and so is `used` plus `reserved`. All other limits are whole numbers.';
const read = { tag, description, access: 'bearer', action: 'limits.read' } as const;
const manage = {
  tag,
  access: 'bearer',
  action: 'limits.manage',
  errors: { 409: ['limit_too_high'] },
} as const;

export const readOrganizationLimits = {
  ...read,
  method: 'get',
  path: ORGANIZATION_LIMITS,
  summary: 'Get the limits of an organization and their use',
  answers: { 200: OrganizationLimits },
} as const satisfies Row;

export const updateOrganizationLimits = {
  ...manage,
  method: 'put',
  path: ORGANIZATION_LIMITS,
  summary: 'Update limits of an organization, up to what the operator allows',
  body: { json: LimitsUpdate },
  answers: { 200: OrganizationLimits },
} as const satisfies Row;

export const requestLimitIncrease = {
  ...manage,
  method: 'post',
  path: `${ORGANIZATION_LIMITS}increase/`,
  summary: 'Ask the operator for a higher limit',
  body: { json: LimitIncreaseRequest },
  answers: { 201: LimitIncrease },
  errors: { 409: ['increase_pending'], 429: ['limit_exceeded'] },
} as const satisfies Row;

export const readProjectLimits = {
  ...read,
  method: 'get',
  path: PROJECT_LIMITS,
  summary: 'Get the limits of a project and their use',
  answers: { 200: ProjectLimits },
} as const satisfies Row;

export const updateProjectLimits = {
  ...manage,
  method: 'put',
  path: PROJECT_LIMITS,
  summary: 'Update limits of a project, within those of its organization',
  body: { json: LimitsUpdate },
  answers: { 200: ProjectLimits },
} as const satisfies Row;

export const configureProjectLimit = {
  ...manage,
  method: 'post',
  path: `${PROJECT_LIMITS}configure/`,
  summary: 'Set or remove one limit of a project',
  body: { json: LimitConfiguration },
  answers: { 200: ProjectLimits },
} as const satisfies Row;

/** Limits of organizations and projects. */
export const LIMIT_CALLS = {
  readOrganizationLimits,
  updateOrganizationLimits,
  requestLimitIncrease,
  readProjectLimits,
  updateProjectLimits,
  configureProjectLimit,
};
