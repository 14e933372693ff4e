import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { formatTime, formatZoned } from '#src/views/ui/format.ts';
import { longStep, stepTitle } from '#src/views/ui/usage/bars.ts';

/** What the module exports, in a process whose device is in India; a worker of the tests has no zone of its own. */
function inIndia(expression: string): unknown {
  const script = `
    import * as format from '#src/views/ui/format.ts';
    import * as bars from '#src/views/ui/usage/bars.ts';
    import * as logs from '#src/views/logs/words.ts';
    console.log(JSON.stringify(${expression}));`;
  const env = { ...process.env, TZ: 'Asia/Kolkata' };
  return JSON.parse(
    execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { env, encoding: 'utf8' }),
  );
}

const AT = "'2026-11-28T19:30:05Z'";

describe('CON-31 CON-32: a time', () => {
  it('is written in one way in both zones, and names its zone where no title does', () => {
    expect([formatTime('2026-11-28T09:30:05Z', 'utc'), formatZoned('2026-11-28T09:30:05Z', 'utc')]).toEqual([
      'Nov 28, 2026, 09:30:05',
      'Nov 28, 2026, 09:30:05 UTC',
    ]);
    expect(
      inIndia(`['formatTime', 'formatZoned', 'formatDay', 'formatMoment'].map((name) => format[name](${AT}, 'local'))`),
    ).toEqual([
      'Nov 29, 2026, 01:00:05',
      'Nov 29, 2026, 01:00:05 GMT+5:30',
      'Nov 29, 2026 (local)',
      'Nov 29, 2026, 01:00:05 GMT+5:30 (Nov 28, 2026, 19:30:05 UTC)',
    ]);
  });

  it('starts an hour of a chart as the logs tell it; days and months are of UTC', () => {
    expect(
      inIndia(
        `['hourly', 'daily', 'monthly'].flatMap((period) => [bars.longStep, bars.shortStep].map((step) =>
          step('2026-10-31T19:00:00Z', period, 'local')))`,
      ),
    ).toEqual(['Nov 1, 2026, 00:30', 'Nov 1, 00:30', 'Oct 31, 2026', 'Oct 31', 'October 2026', 'Oct 2026']);
    expect(longStep('2026-10-31T19:00:00Z', 'hourly', 'utc')).toBe('Oct 31, 2026, 19:00');
    expect([stepTitle('hourly', 'local'), stepTitle('hourly', 'utc'), stepTitle('daily', 'local')]).toEqual([
      'Time (local)',
      'Time (UTC)',
      'Time (UTC)',
    ]);
  });

  it('is typed in the zone in which it is read', () => {
    expect(
      inIndia(
        `['utc', 'local'].map((zone) => [logs.fieldOf(${AT}, zone), logs.momentOf(logs.fieldOf(${AT}, zone), zone)])`,
      ),
    ).toEqual([
      ['2026-11-28T19:30', '2026-11-28T19:30:00.000Z'],
      ['2026-11-29T01:00', '2026-11-28T19:30:00.000Z'],
    ]);
    expect(inIndia(`[logs.momentOf('', 'utc'), logs.momentOf('soon', 'utc'), logs.fieldOf(undefined, 'utc')]`)).toEqual(
      [null, 'soon', ''],
    );
  });
});
