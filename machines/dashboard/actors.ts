import type { Dashboard } from '#contract/dashboard.ts';
import { promisePlaceholder } from '../placeholder.ts';

/** GET /organizations/{orgUuid}/dashboard/. */
export const loadDashboard = promisePlaceholder<Dashboard, { orgUuid: string }>('loadDashboard');
