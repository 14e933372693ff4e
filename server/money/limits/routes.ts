import type { Hono } from 'hono';
import { LIMIT_CALLS } from '#contract/api/limits.ts';
import type { AppEnv } from '../../http/env.ts';
import type { Services } from '../../platform/context.ts';
import { memberCalls } from '../../tenancy/access/guard.ts';
import { actOf } from '../../tenancy/access/act.ts';
import { changeOrganizationLimits, changeProjectLimits } from './change.ts';
import type { LimitDefaults } from './defaults.ts';
import { askForIncrease } from './increases.ts';
import { readOrganizationLimits, readProjectLimits } from './read.ts';

/** What organizations and projects may use, and what they do (ORG-07, PRJ-07). */
export function limitRoutes(services: Services, limitDefaults: LimitDefaults): Hono<AppEnv> {
  const parts = { ...services, limitDefaults };
  const { clock } = services;
  return memberCalls(services)
    .answer(LIMIT_CALLS.readOrganizationLimits, ({ organization }) =>
      readOrganizationLimits(parts, organization.organizationId),
    )
    .answer(LIMIT_CALLS.updateOrganizationLimits, async ({ c, organization: { organizationId }, body }) => {
      await changeOrganizationLimits(parts, actOf(c, clock), organizationId, body.limits);
      return readOrganizationLimits(parts, organizationId);
    })
    .answer(LIMIT_CALLS.requestLimitIncrease, ({ c, organization, body }) =>
      askForIncrease(parts, actOf(c, clock), organization.organizationId, body),
    )
    .answer(LIMIT_CALLS.readProjectLimits, ({ project }) => readProjectLimits(parts, project))
    .answer(LIMIT_CALLS.updateProjectLimits, async ({ c, project, body }) => {
      await changeProjectLimits(parts, actOf(c, clock), project, body.limits);
      return readProjectLimits(parts, project);
    })
    .answer(LIMIT_CALLS.configureProjectLimit, async ({ c, project, body: { limit, value } }) => {
      await changeProjectLimits(parts, actOf(c, clock), project, { [limit]: value });
      return readProjectLimits(parts, project);
    });
}
