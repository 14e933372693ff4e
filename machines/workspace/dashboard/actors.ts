import type { Dashboard } from '#contract/dashboard.ts';
import type { ProjectDetails } from '#contract/organizations.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** The figures of the month, and the projects with their descriptions. */
export type DashboardData = { figures: Dashboard; projects: readonly ProjectDetails[] };
/** GET /organizations/{orgUuid}/dashboard/ and …/projects/. */
export const loadDashboard = promisePlaceholder<DashboardData, { orgUuid: string }>('loadDashboard');
