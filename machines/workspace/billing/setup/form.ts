import { BillingDetails, type BillingSettings } from '#contract/billing.ts';
import { createForm } from '../../../shared/form/machine.ts';
import type { Submitted } from '../../../shared/form/types.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';

/** PUT …/billing/ with the details alone. */
export const saveDetails = promisePlaceholder<BillingSettings, Submitted<BillingDetails, { orgUuid: string }>>(
  'saveDetails',
);

/** Whom receipts are made out to. */
export const billingDetailsForm = createForm({
  id: 'billingDetailsForm',
  schema: BillingDetails,
  initial: { name: '', address: '', tax_id: '' },
  submit: saveDetails,
  keeps: ['name', 'address', 'tax_id'],
});
