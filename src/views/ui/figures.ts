import { lazily } from '#machines/shared/lazily.ts';

const MS_PER_SECOND = 1000;
const SECONDS_PER_MINUTE = 60;
const MINUTES_PER_HOUR = 60;
const MICROS_PER_UNIT = 1_000_000;

/** A duration of audio: '0 s', '42 s', '3 min 5 s', '12 h 40 min'. */
export function formatAudio(ms: number): string {
  const seconds = Math.round(ms / MS_PER_SECOND);
  if (seconds < SECONDS_PER_MINUTE) return `${seconds} s`;
  const minutes = Math.floor(seconds / SECONDS_PER_MINUTE);
  if (minutes < MINUTES_PER_HOUR) return `${minutes} min ${seconds % SECONDS_PER_MINUTE} s`;
  return `${Math.floor(minutes / MINUTES_PER_HOUR)} h ${minutes % MINUTES_PER_HOUR} min`;
}

const NUMBER = lazily(() => new Intl.NumberFormat('en'));
/** 12345 → '12,345'. */
export const formatCount = (count: number): string => NUMBER().format(count);

const SECONDS = lazily(() => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }));
/** A latency: '85 ms', '1.25 s', '2 min 5 s'. */
export function formatLatency(ms: number): string {
  const whole = Math.round(ms);
  if (whole < MS_PER_SECOND) return whole === 0 && ms > 0 ? '< 1 ms' : `${whole} ms`;
  const isUnderMinute = Math.round(ms / MS_PER_SECOND) < SECONDS_PER_MINUTE;
  return isUnderMinute ? `${SECONDS().format(ms / MS_PER_SECOND)} s` : formatAudio(ms);
}

/** A measured time: '7 ms', '1.24 s'. */
export const formatMs = (ms: number): string =>
  ms < MS_PER_SECOND ? `${ms} ms` : `${(ms / MS_PER_SECOND).toFixed(2)} s`;

const PERCENT = lazily(() => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }));
const LEAST_PERCENT = 0.01;
/** '12.5%'. Values just above 0% or below 100% become '< 0.01%' and '> 99.99%'. */
export function formatPercent(percent: number): string {
  if (percent > 0 && percent < LEAST_PERCENT) return `< ${LEAST_PERCENT}%`;
  if (percent < 100 && percent > 100 - LEAST_PERCENT) return `> ${PERCENT().format(100 - LEAST_PERCENT)}%`;
  return `${PERCENT().format(percent)}%`;
}

const dollars = (places: number, options: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: places,
    maximumFractionDigits: places,
    ...options,
  });
const MICROS_PER_CENT = 10_000;
const CENTS = lazily(() => dollars(2));
const MICROS = lazily(() => dollars(6));

/**
 * A formatter for amounts in micro-USD, by the one rule of all screens: whole cents have two decimals, and any other
 * amount six, to the micro-dollar. So a sum looks the same wherever it stands, and sums on a screen add up. In a column
 * all get six if one needs them, so that digits line up. Balances are rounded instead: see {@link formatBalance}.
 */
export function columnFormat(
  amounts: readonly number[],
  options: Intl.NumberFormatOptions = {},
): (micros: number) => string {
  const { format } = dollars(amounts.every((micros) => micros % MICROS_PER_CENT === 0) ? 2 : 6, options);
  return (micros) => format(micros / MICROS_PER_UNIT);
}

/** Every screen shows this in place of costs on a server without prices (UXP-32). */
export const NO_PRICES = 'No prices are configured';
/** Formats a single amount as {@link columnFormat} does; null means that the server has no prices. */
export const formatCost = (micros: number | null): string =>
  micros === null ? NO_PRICES : (micros % MICROS_PER_CENT === 0 ? CENTS : MICROS)().format(micros / MICROS_PER_UNIT);

/** An amount of whole cents, from micro-USD: 20000000 → '$20.00'. */
export const formatAmount = (micros: number): string => CENTS().format(micros / MICROS_PER_UNIT);

/** A balance, from micro-USD: to the nearest cent; a debt is rounded up, and amounts below a cent are exact. */
export function formatBalance(micros: number): string {
  if (Math.abs(micros) < MICROS_PER_CENT) return formatCost(micros);
  return micros < 0 ? `-${formatDebt(micros)}` : formatAmount(micros);
}

/** What a negative balance owes, rounded up, since only whole cents can be paid. */
export const formatDebt = (balanceMicros: number): string =>
  formatAmount(Math.ceil(-balanceMicros / MICROS_PER_CENT) * MICROS_PER_CENT);

const TICK = lazily(() => dollars(2, { maximumFractionDigits: 6 }));
/** An amount beside an axis, without zeros at its end: '$0.005'. */
export const formatTickAmount = (micros: number): string => TICK().format(micros / MICROS_PER_UNIT);

/** Formats an amount of the speech API, a decimal string in US dollars: '0.0012' → '$0.0012'. */
export const formatUsd = (usd: string): string => formatCost(Math.round(Number(usd) * MICROS_PER_UNIT));

const ROUGH = lazily(
  () => new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumSignificantDigits: 2 }),
);
/** An estimated amount, rounded: '$0.02', '$0.00057'. */
export const formatEstimate = (micros: number): string =>
  (micros > 0 && micros < MICROS_PER_CENT ? ROUGH() : CENTS()).format(micros / MICROS_PER_UNIT);

const STEADY = lazily(() => dollars(4));
/** An amount that keeps growing on the screen; always four decimals. */
export const formatRunning = (micros: number): string => STEADY().format(micros / MICROS_PER_UNIT);

const MONTH = lazily(() => new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }));
/** The month of a period's start: 'November 2026'. */
export const formatMonth = (start: string): string => MONTH().format(new Date(start));
