/** Formats days and times of billing in UTC, whatever the browser's time zone. */
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

/** The UTC day of a date or time: 'Nov 4, 2026'. */
export const formatUtcDay = (day: string): string => DAY.format(new Date(day));

/** A time in UTC: 'Nov 4, 2026, 14:05'. */
export const formatUtcMoment = (at: string): string => MOMENT.format(new Date(at));
