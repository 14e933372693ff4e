import type { BillingCost, BillingCostRequest } from '#contract/billing.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

export { readToday } from '../../usage/actors.ts';

/** POST …/billing/cost/ */
export const loadCost = promisePlaceholder<BillingCost, { orgUuid: string; request: BillingCostRequest }>('loadCost');
