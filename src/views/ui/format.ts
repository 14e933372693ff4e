import { lazily } from '#machines/shared/lazily.ts';

const UNITS = ['B', 'KB', 'MB', 'GB'] as const;
const STEP = 1024;

/** A size in bytes: 861572 → '841 KB'. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

const RELATIVE = lazily(() => new Intl.RelativeTimeFormat('en', { numeric: 'auto' }));
const SPANS = [
  { unit: 'day', ms: 86_400_000 },
  { unit: 'hour', ms: 3_600_000 },
  { unit: 'minute', ms: 60_000 },
] as const;

/** How long ago: '3 minutes ago', 'yesterday'; below a minute, 'just now'. */
export function formatAge(timestamp: string, now: number = Date.now()): string {
  const ms = Date.parse(timestamp) - now;
  const span = SPANS.find((candidate) => Math.abs(ms) >= candidate.ms);
  return span ? RELATIVE().format(Math.round(ms / span.ms), span.unit) : 'just now';
}

const ZONED = lazily(() => new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' }));
const UNZONED = lazily(() => new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' }));
const SHORT = lazily(
  () => new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' }),
);

/** '2026-11-28 09:30:00 UTC'. */
export const formatUtc = (timestamp: string): string =>
  `${new Date(timestamp).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Local date and time with its zone: 'Nov 28, 2026, 10:30:00 AM GMT+1'. */
export const formatLocal = (timestamp: string): string => ZONED().format(new Date(timestamp));

/** Local date and time without the zone, for a column titled as local: 'Nov 28, 2026, 10:30:00 AM'. */
export const formatLocalCell = (timestamp: string): string => UNZONED().format(new Date(timestamp));

/** Local date and time without zone, year and seconds, for recent times: 'Nov 28, 10:30 AM'. */
export const formatLocalShort = (timestamp: string): string => SHORT().format(new Date(timestamp));

/** Local date and time with its zone, then UTC in parentheses. */
export const formatMoment = (timestamp: string): string => `${formatLocal(timestamp)} (${formatUtc(timestamp)})`;

const DAY = lazily(() => new Intl.DateTimeFormat('en', { dateStyle: 'medium' }));

/** The local day: 'Nov 28, 2026'. */
export const formatDay = (timestamp: string): string => DAY().format(new Date(timestamp));

/** 'completed' → 'Completed'. */
export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
