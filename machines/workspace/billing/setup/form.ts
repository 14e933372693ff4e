import { BillingDetails, type BillingSettings } from '#contract/billing.ts';
import { createForm } from '../../../shared/form/machine.ts';
import type { Submitted } from '../../../shared/form/types.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** PUT …/billing/ with `details` only. */
export const saveDetails = promisePlaceholder<BillingSettings, Submitted<BillingDetails, { orgUuid: string }>>(
  'saveDetails',
);

/** The recipient of receipts. */
export const billingDetailsForm = createForm({
  id: 'billingDetailsForm',
  schema: BillingDetails,
  initial: { name: '', address: '', tax_id: '' },
  submit: saveDetails,
  keeps: ['name', 'address', 'tax_id'],
});
