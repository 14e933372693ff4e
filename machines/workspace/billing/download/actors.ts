import type { BillingCostRequest, BillingReportRequest } from '#contract/billing.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** A table of an organization, as the screen shows it. */
export type SheetToSave =
  | { of: 'report'; orgUuid: string; request: BillingReportRequest }
  | { of: 'cost'; orgUuid: string; request: BillingCostRequest };

/** POST …/billing/reports/xlsx/ or …/billing/cost/xlsx/, into a file of the person's. */
export const saveSheet = promisePlaceholder<void, SheetToSave>('saveSheet');
