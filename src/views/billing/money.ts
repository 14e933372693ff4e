/** Texts about balances and payment methods. */
import type { BillingOverview, PaymentMethod } from '#contract/billing.ts';
import { formatCost, formatCount, formatDebt } from '../ui/figures.ts';

/** Of seven days and today, or fewer for a new organization. */
const PACE = 'at the average of today and up to 7 days before';
const MICROS_PER_CENT = 10_000;

/** How long a balance lasts at the recent average; in the first day of usage what was spent, and what is owed. */
export function paceOf({
  balance_micros,
  today_micros,
  days_left,
}: Pick<BillingOverview, 'balance_micros' | 'today_micros' | 'days_left'>): string {
  if (balance_micros <= -MICROS_PER_CENT) return `You owe ${formatDebt(balance_micros)}.`;
  if (balance_micros <= 0) return 'Nothing is left.';
  if (days_left === null && today_micros > 0)
    return `Spent today (UTC): ${formatCost(today_micros)}. An estimate appears tomorrow.`;
  if (days_left === null) return 'Nothing was spent in the last 7 days.';
  if (days_left < 1) return `Less than a day left ${PACE}.`;
  return `About ${formatCount(days_left)} ${days_left === 1 ? 'day' : 'days'} left ${PACE}.`;
}

const TWO_DIGITS = 2;
/** 'Visa ending in 4242'. */
export const methodName = ({ brand, last4 }: PaymentMethod): string =>
  last4 === '' ? brand : `${capital(brand)} ending in ${last4}`;
/** '12/2099'. */
export const expiryOf = ({ expires_month, expires_year }: PaymentMethod): string =>
  `${String(expires_month).padStart(TWO_DIGITS, '0')}/${expires_year}`;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
