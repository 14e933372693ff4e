import { describe, expect, it } from 'vitest';
import { changed, filterOf, isMisled, lengthOf, shownOf, timesProblem } from '#machines/workspace/logs/filter.ts';
import { addressOf } from '#src/locations.ts';

const FROM = '2026-05-01T00:00:00.000Z';
const TO = '2026-05-02T00:00:00.000Z';

describe('PRJ-05: what an address of the logs asks for', () => {
  it('leaves out what there is not, says so, and keeps the rest', () => {
    const view = { status: 'failed', kind: 'neither', from: TO, to: FROM, log: 'that one' };
    expect([shownOf(view), isMisled(view)]).toEqual([{ status: 'failed' }, true]);
    expect(isMisled({ status: 'failed', from: FROM, to: TO })).toBe(false);
    expect(timesProblem({ from: TO, to: FROM })).toBe('The end must be after the start.');
  });

  it('asks from a beginning that moves only where no times are set', () => {
    expect([lengthOf({}), lengthOf({ period: 'hour' }), lengthOf({ period: 'all' }), lengthOf({ to: TO })]).toEqual([
      7 * 86_400_000,
      3_600_000,
      null,
      null,
    ]);
    expect(filterOf({ status: 'failed', period: 'day' }, FROM)).toEqual({ status: 'failed', from: FROM });
    expect(filterOf({ from: FROM, to: TO, period: 'day' }, null)).toEqual({ from: FROM, to: TO });
  });

  it('is written back without what is usual', () => {
    const view = changed({ period: 'day', status: 'failed', kind: 'neither' }, { period: 'week', error: 'x' });
    expect(addressOf({ screen: 'logs', orgUuid: 'o', projectUuid: 'p', ...view })).toEqual({
      to: '/org/o/projects/p/api/logs/',
      search: { status: 'failed', error: 'x' },
    });
  });
});
