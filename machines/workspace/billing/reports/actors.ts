import type { BillingReport, BillingReportRequest } from '#contract/billing.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

export { readToday } from '../../usage/actors.ts';

/** POST …/billing/reports/ */
export const loadReport = promisePlaceholder<BillingReport, { orgUuid: string; request: BillingReportRequest }>(
  'loadReport',
);
