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

/** A range of UTC days, both ends included: 'Nov 1 – 24, 2026'. */
export const formatDays = ({ start_date, end_date }: { start_date: string; end_date: string }): string =>
  DAY.formatRange(new Date(start_date), new Date(end_date));

/** A time in UTC: 'Nov 4, 2026, 14:05'. */
export const formatUtcMoment = (at: string): string => MOMENT.format(new Date(at));
