import { Hono } from 'hono';
import { LimitConfiguration, LimitIncreaseRequest, LimitsUpdate } from '#contract/limits.ts';
import type { AppEnv } from '../../http/env.ts';
import { readJson } from '../../http/validate.ts';
import type { Services } from '../../platform/context.ts';
import { inOrganization, inProject, requireMember } from '../../tenancy/access/guard.ts';
import { actOf } from '../../tenancy/audit/log.ts';
import { changeOrganizationLimits, changeProjectLimits } from './change.ts';
import type { LimitDefaults } from './defaults.ts';
import { askForIncrease } from './increases.ts';
import { readOrganizationLimits, readProjectLimits } from './read.ts';

const ORGANIZATION = '/api/v2/limits/organizations/:organization';
const PROJECT = '/api/v2/limits/projects/:project';

/** What organizations and projects may use, and what they do (ORG-07, PRJ-07). */
export function limitRoutes(services: Services, limitDefaults: LimitDefaults): Hono<AppEnv> {
  const parts = { ...services, limitDefaults };
  const signedIn = requireMember(services);
  return new Hono<AppEnv>()
    .get(ORGANIZATION, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'limits.read');
      return c.json(await readOrganizationLimits(parts, organizationId));
    })
    .put(ORGANIZATION, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'limits.manage');
      const { limits } = await readJson(c, LimitsUpdate);
      await changeOrganizationLimits(parts, actOf(c, services.clock), organizationId, limits);
      return c.json(await readOrganizationLimits(parts, organizationId));
    })
    .post(`${ORGANIZATION}/increase`, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'limits.manage');
      const wish = await readJson(c, LimitIncreaseRequest);
      return c.json(await askForIncrease(parts, actOf(c, services.clock), organizationId, wish), 201);
    })
    .get(PROJECT, signedIn, async (c) => c.json(await readProjectLimits(parts, inProject(c, 'limits.read'))))
    .put(PROJECT, signedIn, async (c) => {
      const project = inProject(c, 'limits.manage');
      const { limits } = await readJson(c, LimitsUpdate);
      await changeProjectLimits(parts, actOf(c, services.clock), project, limits);
      return c.json(await readProjectLimits(parts, project));
    })
    .post(`${PROJECT}/configure`, signedIn, async (c) => {
      const project = inProject(c, 'limits.manage');
      const { limit, value } = await readJson(c, LimitConfiguration);
      await changeProjectLimits(parts, actOf(c, services.clock), project, { [limit]: value });
      return c.json(await readProjectLimits(parts, project));
    });
}
