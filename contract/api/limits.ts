import {
  LimitConfiguration,
  LimitIncrease,
  LimitIncreaseRequest,
  LimitsUpdate,
  OrganizationLimits,
  ProjectLimits,
} from '../limits.ts';
import type { ApiRoute } from './route.ts';
import { managed, theirs } from './shared.ts';

const ORGANIZATION_LIMITS = '/api/v2/limits/organizations/{organization}/';
const PROJECT_LIMITS = '/api/v2/limits/projects/{project}/';

const tag = 'Limits';
/** JSON Schema has no word for it. */
const description =
  'audio_minutes are told in thousandths: `used` is rounded down, and so is `used` plus `reserved`. All other limits are told in whole numbers.';
const read = { tag, description, access: 'bearer', action: 'limits.read', errors: theirs } as const;
/** 409: more than may be set here. */
const manage = {
  tag,
  access: 'bearer',
  action: 'limits.manage',
  errors: { ...managed, 409: ['limit_too_high'] },
} as const;

/** Limits of organizations and projects (spec §7). */
export const LIMIT_ROUTES: readonly ApiRoute[] = [
  {
    ...read,
    method: 'get',
    path: ORGANIZATION_LIMITS,
    id: 'readOrganizationLimits',
    summary: 'Get the limits of an organization, and what is used of them',
    answers: { 200: OrganizationLimits },
  },
  {
    ...manage,
    method: 'put',
    path: ORGANIZATION_LIMITS,
    id: 'updateOrganizationLimits',
    summary: 'Update limits of an organization, up to what the operator allows',
    body: { json: LimitsUpdate },
    answers: { 200: OrganizationLimits },
  },
  {
    ...manage,
    method: 'post',
    path: `${ORGANIZATION_LIMITS}increase/`,
    id: 'requestLimitIncrease',
    summary: 'Ask the operator for a higher limit',
    body: { json: LimitIncreaseRequest },
    answers: { 201: LimitIncrease },
    errors: { ...managed, 409: ['increase_pending'], 429: ['limit_exceeded'] },
  },
  {
    ...read,
    method: 'get',
    path: PROJECT_LIMITS,
    id: 'readProjectLimits',
    summary: 'Get the limits of a project, and what is used of them',
    answers: { 200: ProjectLimits },
  },
  {
    ...manage,
    method: 'put',
    path: PROJECT_LIMITS,
    id: 'updateProjectLimits',
    summary: 'Update limits of a project, within those of its organization',
    body: { json: LimitsUpdate },
    answers: { 200: ProjectLimits },
  },
  {
    ...manage,
    method: 'post',
    path: `${PROJECT_LIMITS}configure/`,
    id: 'configureProjectLimit',
    summary: 'Set one limit of a project, or take it away',
    body: { json: LimitConfiguration },
    answers: { 200: ProjectLimits },
  },
];
