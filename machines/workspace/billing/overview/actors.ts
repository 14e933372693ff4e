import type { BillingOverview } from '#contract/billing.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';
import type { Days } from '../../usage/period.ts';

/** Today's date in UTC. */
export const readToday = promisePlaceholder<string>('readToday');
/** GET …/billing/overview/ */
export const loadOverview = promisePlaceholder<BillingOverview, { orgUuid: string; days: Days }>('loadOverview');
