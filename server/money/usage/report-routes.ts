import type { Hono } from 'hono';
import { ORGANIZATION_CALLS } from '#contract/api/organizations.ts';
import { PROJECT_CALLS } from '#contract/api/projects.ts';
import { may } from '#contract/roles.ts';
import { memberCalls } from '../../tenancy/access/guard.ts';
import type { Services } from '../../platform/context.ts';
import type { AppEnv } from '../../http/env.ts';
import type { LimitDefaults } from '../limits/defaults.ts';
import { readDashboard } from './dashboard.ts';
import { readProjectHome } from './project-home.ts';
import { readActivity, readCost } from './report.ts';

/**
 * The dashboard (ORG-04), the homes of projects (ONB-20), and usage cost and usage activity of projects and
 * organizations (PRJ-04).
 */
export function usageReportRoutes(services: Services, limitDefaults: LimitDefaults): Hono<AppEnv> {
  const {
    clock,
    database: { reports: db },
  } = services;
  return memberCalls(services)
    .answer(ORGANIZATION_CALLS.readDashboard, ({ c, organization }) =>
      readDashboard(db, c.var.user.userId, organization, limitDefaults, clock()),
    )
    .answer(PROJECT_CALLS.readProjectHome, ({ project: { projectId, role } }) =>
      readProjectHome(db, { projectId, withRecent: may(role, 'playground.use'), now: clock() }),
    )
    .answer(PROJECT_CALLS.readProjectCost, ({ project: { projectId }, body }) =>
      readCost(db, { projectId }, body, clock()),
    )
    .answer(PROJECT_CALLS.readProjectActivity, ({ project: { projectId }, body }) =>
      readActivity(db, { projectId }, body),
    )
    .answer(ORGANIZATION_CALLS.readOrganizationCost, ({ c, organization: { organizationId }, body }) => {
      const { project_ids: only, ...asked } = body;
      return readCost(db, { organizationId, userId: c.var.user.userId, only }, asked, clock());
    })
    .answer(ORGANIZATION_CALLS.readOrganizationActivity, ({ c, organization: { organizationId }, body }) => {
      const { project_ids: only, ...asked } = body;
      return readActivity(db, { organizationId, userId: c.var.user.userId, only }, asked);
    });
}
