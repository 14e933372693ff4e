/** Days and moments of billing, for people: of UTC, whatever the zone of the browser. */
const DAY = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const MOMENT = new Intl.DateTimeFormat('en', {
  dateStyle: 'medium',
  timeStyle: 'short',
  hourCycle: 'h23',
  timeZone: 'UTC',
});

/** A day of UTC, or the one of a moment: 'Nov 4, 2026'. */
export const formatUtcDay = (day: string): string => DAY.format(new Date(day));

/** Days of UTC, both ends included: 'Nov 1 – 24, 2026'. */
export const formatDays = ({ start_date, end_date }: { start_date: string; end_date: string }): string =>
  DAY.formatRange(new Date(start_date), new Date(end_date));

/** A moment in UTC: 'Nov 4, 2026, 14:05'. */
export const formatUtcMoment = (at: string): string => MOMENT.format(new Date(at));
