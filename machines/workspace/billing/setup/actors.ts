import type { BillingSettings, PaymentStatus } from '#contract/billing.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

type OfOrganization = { orgUuid: string };

/** How an organization pays, and whom receipts are made out to. */
export type Paying = { status: PaymentStatus; settings: BillingSettings };

/** GET …/payment/status/ and …/billing/ */
export const loadPaying = promisePlaceholder<Paying, OfOrganization>('loadPaying');
/** POST …/payment/remove/ */
export const removeMethod = promisePlaceholder<PaymentStatus, OfOrganization>('removeMethod');
/** PUT …/payment/reset-error/ */
export const resetError = promisePlaceholder<PaymentStatus, OfOrganization & { version: string }>('resetError');
