import * as v from 'valibot';
import { Autopay, type BillingSettings } from '#contract/billing.ts';
import { chargeAt, type PaymentStatus } from '#contract/paying.ts';
import { createForm } from '../../../shared/form/machine.ts';
import type { Submitted } from '../../../shared/form/types.ts';
import { promisePlaceholder } from '../../../shared/placeholder.ts';
import { PaidText, UsdText, usdText } from '../amount.ts';

type OfOrganization = { orgUuid: string };

/** PUT …/billing/ with `autopay` only. */
export const saveAutopay = promisePlaceholder<BillingSettings, Submitted<Autopay, OfOrganization>>('saveAutopay');

/** Autopay as typed: when and how much to charge the stored payment method. */
export const AutopayText = v.pipe(
  v.object({
    /** 'on' to enable. */
    enabled: v.string(),
    threshold: v.pipe(UsdText, Autopay.entries.threshold_micros),
    amount: PaidText,
  }),
  v.transform(({ enabled, threshold, amount }): Autopay => ({
    enabled: enabled === 'on',
    threshold_micros: threshold,
    amount_micros: amount,
  })),
);
export type AutopayFields = v.InferInput<typeof AutopayText>;

export const autopayFields = ({ enabled, threshold_micros, amount_micros }: Autopay): AutopayFields => ({
  enabled: enabled ? 'on' : 'off',
  threshold: usdText(threshold_micros),
  amount: usdText(amount_micros),
});

export const autopayForm = createForm({
  id: 'autopayForm',
  schema: AutopayText,
  initial: { enabled: 'off', threshold: '', amount: '' },
  submit: saveAutopay,
  keeps: ['enabled', 'threshold', 'amount'],
  // The payment method was removed meanwhile.
  blames: ({ errorType }) => (errorType === 'payment_method_missing' ? 'enabled' : null),
});

/** What autopay charges at once if the form is saved, micro-USD; null for nothing, or if the form cannot be saved. */
export function chargeAtSave(
  fields: AutopayFields,
  { balance_at_save_micros: left }: Pick<PaymentStatus, 'balance_at_save_micros'>,
): number | null {
  const { success, output } = v.safeParse(AutopayText, fields);
  return success && output.enabled && left !== null ? chargeAt(left, output) : null;
}
