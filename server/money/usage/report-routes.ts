import { Hono } from 'hono';
import { may } from '#contract/roles.ts';
import { OrganizationUsageRequest, UsageRequest } from '#contract/usage.ts';
import { inOrganization, inProject, requireMember } from '../../tenancy/access/guard.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import { readJson } from '../../http/validate.ts';
import { readDashboard } from './dashboard.ts';
import { readProjectHome } from './project-home.ts';
import { readActivity, readCost } from './report.ts';

const DASHBOARD = '/api/v2/organizations/:organization/dashboard';
const ORGANIZATION = '/api/v2/organizations/:organization/usage';
const PROJECT = '/api/v2/projects/:project/usage';
const HOME = '/api/v2/projects/:project/home';

/**
 * The dashboard (ORG-04), the homes of projects (ONB-20), and usage cost and usage activity of projects and
 * organizations (PRJ-04).
 */
export function usageReportRoutes(services: Services): Hono<AppEnv> {
  const {
    clock,
    database: { reports: db },
  } = services;
  const signedIn = requireMember(services);
  return new Hono<AppEnv>()
    .get(DASHBOARD, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'organization.read');
      return c.json(await readDashboard(db, c.var.user.userId, organizationId, clock()));
    })
    .get(HOME, signedIn, async (c) => {
      const { projectId, role } = inProject(c, 'project.read');
      return c.json(await readProjectHome(db, { projectId, withRecent: may(role, 'playground.use'), now: clock() }));
    })
    .post(`${PROJECT}/cost`, signedIn, async (c) => {
      const { projectId } = inProject(c, 'usage.read');
      return c.json(await readCost(db, { projectId }, await readJson(c, UsageRequest), clock()));
    })
    .post(`${PROJECT}/activity`, signedIn, async (c) => {
      const { projectId } = inProject(c, 'usage.read');
      return c.json(await readActivity(db, { projectId }, await readJson(c, UsageRequest)));
    })
    .post(`${ORGANIZATION}/cost`, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'usage.read');
      const { project_ids, ...asked } = await readJson(c, OrganizationUsageRequest);
      return c.json(
        await readCost(db, { organizationId, userId: c.var.user.userId, only: project_ids }, asked, clock()),
      );
    })
    .post(`${ORGANIZATION}/activity`, signedIn, async (c) => {
      const { organizationId } = inOrganization(c, 'usage.read');
      const { project_ids, ...asked } = await readJson(c, OrganizationUsageRequest);
      return c.json(await readActivity(db, { organizationId, userId: c.var.user.userId, only: project_ids }, asked));
    });
}
