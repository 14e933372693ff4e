/** Amounts and days of billing, for people. */
import { MICROS_PER_CENT, type PaymentMethod } from '#contract/billing.ts';
import { formatCost } from '../organization/figures.ts';

const MICROS_PER_USD = 1_000_000;
const USD = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** An amount of whole cents, micro-USD: 20000000 → '$20.00'. */
export const formatAmount = (micros: number): string => USD.format(micros / MICROS_PER_USD);

/** A balance, micro-USD: in whole cents, never more than there is; less than a cent is told as it is. */
export const formatBalance = (micros: number): string =>
  micros !== 0 && Math.abs(micros) < MICROS_PER_CENT
    ? formatCost(micros)
    : formatAmount(Math.floor(micros / MICROS_PER_CENT) * MICROS_PER_CENT);

const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
/** A day of UTC, or the one of a moment: 'Nov 4, 2026'. */
export const formatUtcDay = (day: string): string => DAY.format(new Date(day));

/** Days of UTC, both ends included: 'Nov 1 – 24, 2026'. */
export const formatDays = ({ start_date, end_date }: { start_date: string; end_date: string }): string =>
  DAY.formatRange(new Date(start_date), new Date(end_date));

const TWO_DIGITS = 2;
/** 'Visa ending in 4242'. */
export const methodName = ({ brand, last4 }: PaymentMethod): string =>
  last4 === '' ? brand : `${capital(brand)} ending in ${last4}`;
/** '12/2099'. */
export const expiryOf = ({ expires_month, expires_year }: PaymentMethod): string =>
  `${String(expires_month).padStart(TWO_DIGITS, '0')}/${expires_year}`;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
