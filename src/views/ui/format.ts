import type { Zone } from '#machines/root/preferences/actors.ts';
import { lazily } from '#machines/shared/lazily.ts';

const UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const;
const STEP = 1024;

/** A size in bytes: 861572 → '841 KiB'. */
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

const IN_UTC = { timeZone: 'UTC' } as const;
const format = (options: Intl.DateTimeFormatOptions): Readonly<Record<Zone, () => Intl.DateTimeFormat>> => ({
  utc: lazily(() => new Intl.DateTimeFormat('en', { ...options, ...IN_UTC })),
  local: lazily(() => new Intl.DateTimeFormat('en', options)),
});
const TIME = format({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });
const ZONED = format({ dateStyle: 'medium', timeStyle: 'long', hourCycle: 'h23' });
const DAY = format({ dateStyle: 'medium' });

/** The name of a zone for the title of a column: 'Time (UTC)', 'Time (local)'. */
export const ZONE_NAMES: Readonly<Record<Zone, string>> = { utc: 'UTC', local: 'local' };

/** A time for a column whose title names the zone: 'Nov 28, 2026, 09:30:00'. */
export const formatTime = (timestamp: string, zone: Zone): string => TIME[zone]().format(new Date(timestamp));

/** A time with its zone: 'Nov 28, 2026, 09:30:00 UTC'. */
export const formatZoned = (timestamp: string, zone: Zone): string => ZONED[zone]().format(new Date(timestamp));

/** A time of billing, which is in UTC for everybody. */
export const formatUtc = (timestamp: string): string => formatZoned(timestamp, 'utc');

/** A time with its zone, then the same in the other zone in parentheses, unless this device is in UTC. */
export function formatMoment(timestamp: string, zone: Zone): string {
  const [time, other] = [formatZoned(timestamp, zone), formatZoned(timestamp, zone === 'utc' ? 'local' : 'utc')];
  return time === other ? time : `${time} (${other})`;
}

/** The day of a time, with its zone: 'Nov 28, 2026 (UTC)', 'Nov 28, 2026 (local)'. */
export const formatDay = (timestamp: string, zone: Zone): string =>
  `${DAY[zone]().format(new Date(timestamp))} (${ZONE_NAMES[zone]})`;

/** A range of UTC days, both ends included: 'Nov 1 – 24, 2026'. */
export const formatDays = ({ start_date, end_date }: { start_date: string; end_date: string }): string =>
  DAY.utc().formatRange(new Date(start_date), new Date(end_date));

/** 'completed' → 'Completed'. */
export const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
