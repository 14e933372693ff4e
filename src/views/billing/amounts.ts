/** Formats billing amounts to the micro-dollar, so that sums on the screen add up. */
import { columnFormat } from '../ui/figures.ts';

const MICROS_PER_USD = 1_000_000;

const usd = (options: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
    ...options,
  });
const PLAIN = usd({});
const AS_CHANGE = { signDisplay: 'exceptZero' } as const;
const SIGNED = usd(AS_CHANGE);

/** 20000000 → '$20.00'; 28 → '$0.000028'. */
export const formatExact = (micros: number): string => PLAIN.format(micros / MICROS_PER_USD);
/** With a sign: '+$20.00', '-$0.000028'. */
export const formatSigned = (micros: number): string => SIGNED.format(micros / MICROS_PER_USD);

/** Formats a column of amounts with the same number of decimals in each row. */
export const exactColumnFormat = (amounts: readonly number[]) => columnFormat(amounts, formatExact);
export const signedColumnFormat = (amounts: readonly number[]) => columnFormat(amounts, formatSigned, AS_CHANGE);
