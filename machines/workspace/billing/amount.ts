// Converts typed amounts in US dollars to micro-USD and back, without floating-point fractions.
import * as v from 'valibot';
import { MICROS_PER_CENT } from '#contract/billing.ts';
import { PaymentRequest } from '#contract/paying.ts';

const CENTS_PER_USD = 100;
const CENT_DIGITS = 2;
const AMOUNT = /^\$?\s*(\d{1,3}(?:,\d{3})*|\d{1,9})(?:\.(\d{1,2}))?$/;

/** Parses '25', '25.5', '1,000.50' or '$25' to micro-USD. */
export const UsdText = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty('Enter an amount.'),
  v.regex(AMOUNT, 'Enter an amount in US dollars, such as 25 or 25.50.'),
  v.transform((text): number => {
    const [, whole = '0', part = ''] = AMOUNT.exec(text) ?? [];
    return (
      (Number(whole.replaceAll(',', '')) * CENTS_PER_USD + Number(part.padEnd(CENT_DIGITS, '0'))) * MICROS_PER_CENT
    );
  }),
);

/** Parses an amount within the limits of one payment. */
export const PaidText = v.pipe(UsdText, PaymentRequest.entries.amount_micros);

/** Formats micro-USD for a field: 25500000 → '25.50'. */
export function usdText(micros: number): string {
  const cents = Math.round(micros / MICROS_PER_CENT);
  return `${Math.floor(cents / CENTS_PER_USD)}.${String(cents % CENTS_PER_USD).padStart(CENT_DIGITS, '0')}`;
}
