import { describe, expect, it } from 'vitest';
import { formatLocal, formatLocalCell, formatLocalShort, formatMoment, formatUtc } from '#src/views/ui/format.ts';

const AT = '2026-11-28T09:30:05Z';
const local = new Date(AT);
const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' })
  .formatToParts(local)
  .find(({ type }) => type === 'timeZoneName')?.value;

describe('CON-31: a time of day', () => {
  it('is told with its zone, in a cell below a title that says so without it', () => {
    expect(formatLocal(AT)).toBe(`${formatLocalCell(AT)} ${zone}`);
    expect(formatLocalCell(AT)).toMatch(/^Nov 2[789], 2026, \d{1,2}:\d\d:05\s[AP]M$/);
    expect(formatLocalShort(AT)).toMatch(/^Nov 2[789], \d{1,2}:\d\d\s[AP]M$/);
    expect(formatUtc(AT)).toBe('2026-11-28 09:30:05 UTC');
    expect(formatMoment(AT)).toBe(`${formatLocal(AT)} (${formatUtc(AT)})`);
  });
});
