import type { BillingSettings } from '#contract/billing.ts';
import type { PaymentStatus } from '#contract/paying.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

type OfOrganization = { orgUuid: string };

/** An organization's payment method and last error (`status`), and its autopay and billing details (`settings`). */
export type Paying = { status: PaymentStatus; settings: BillingSettings };

/** GET …/payment/status/ and …/billing/ */
export const loadPaying = promisePlaceholder<Paying, OfOrganization>('loadPaying');
/** POST …/payment/remove/ */
export const removeMethod = promisePlaceholder<PaymentStatus, OfOrganization>('removeMethod');
/** PUT …/payment/reset-error/ */
export const resetError = promisePlaceholder<PaymentStatus, OfOrganization & { version: string }>('resetError');
