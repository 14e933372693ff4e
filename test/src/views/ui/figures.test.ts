import { describe, expect, it } from 'vitest';
import {
  columnFormat,
  formatAudio,
  formatBalance,
  formatCost,
  formatCount,
  formatDebt,
  formatEstimate,
  formatMonth,
  formatRunning,
  formatUsd,
} from '#src/views/ui/figures.ts';
import { tickTexts } from '#src/views/ui/usage/bars.ts';
import { paceOf } from '#src/views/billing/money.ts';

describe('ORG-04: figures of a dashboard', () => {
  it.each([
    [0, '0 s'],
    [499, '0 s'],
    [59_499, '59 s'],
    [59_500, '1 min 0 s'],
    [3_599_000, '59 min 59 s'],
    [45_600_000, '12 h 40 min'],
  ])('%i ms of audio are %s', (ms, text) => {
    expect(formatAudio(ms)).toBe(text);
  });

  it('a cost without prices says so, and one with prices is an amount', () => {
    expect([null, 0, 28, 9_999, 10_001, 1_234_500, 1_234_567_890].map(formatCost)).toEqual([
      'No prices are configured',
      '$0.00',
      '$0.000028',
      '$0.009999',
      '$0.010001',
      '$1.234500',
      '$1,234.567890',
    ]);
    expect(formatCount(12_345)).toBe('12,345');
  });

  it('UXP-74: the amounts of a column have two decimals, or six where one is not of whole cents', () => {
    const told = (amounts: number[]) => amounts.map(columnFormat(amounts));
    expect([told([]), told([0, 20_000_000]), told([20_000_000, 28, 1_234_500]), told([1_234_500, 10_000])]).toEqual([
      [],
      ['$0.00', '$20.00'],
      ['$20.000000', '$0.000028', '$1.234500'],
      ['$1.234500', '$0.010000'],
    ]);
    const signed = columnFormat([-28, 20_000_000], { signDisplay: 'exceptZero' });
    expect([-28, 0, 20_000_000].map(signed)).toEqual(['-$0.000028', '$0.000000', '+$20.000000']);
  });

  it('UXP-74: one sum looks the same alone and in a column; an axis leaves out zeros', () => {
    const sums = [11_231, 1_689_060, 2_104_607, 28];
    expect(sums.map(formatCost)).toEqual(sums.map(columnFormat(sums)));
    expect(tickTexts([5_000, 10_000], 'cost_micros')).toEqual(['$0.005', '$0.010']);
  });

  it('BIX-10: a balance is told to the nearest cent, not cut down, and exactly below one; a debt is rounded up', () => {
    expect([9_999_184, 9_988_800, 24_195_778, -820_001, 0, 9_999, -28].map(formatBalance)).toEqual([
      '$10.00',
      '$9.99',
      '$24.20',
      '-$0.83',
      '$0.00',
      '$0.009999',
      '-$0.000028',
    ]);
    expect([-820_001, -820_000, -1].map(formatDebt)).toEqual(['$0.83', '$0.82', '$0.01']);
  });

  it('UXP-56 LVP-04: an amount of the speech API is told as others are', () => {
    expect(['0', '0.000153', '0.0016', '12.5'].map(formatUsd)).toEqual(['$0.00', '$0.000153', '$0.001600', '$12.50']);
  });

  it('EST-01: an estimate is told no finer than it is known', () => {
    expect([0, 28, 567, 9_876, 10_001, 24_900, 1_234_567].map(formatEstimate)).toEqual([
      '$0.00',
      '$0.000028',
      '$0.00057',
      '$0.0099',
      '$0.01',
      '$0.02',
      '$1.23',
    ]);
  });

  it('EST-02: an amount that grows has as many digits all along', () => {
    expect([0, 33, 1234, 12_000_000].map(formatRunning)).toEqual(['$0.0000', '$0.0000', '$0.0012', '$12.0000']);
  });

  it('the month is that of UTC, wherever the person is', () => {
    expect(formatMonth('2026-11-01T00:00:00Z')).toBe('November 2026');
  });
});

describe('BIX-08: how long a balance lasts', () => {
  it.each([
    [0, 0, 5, 'Nothing is left.'],
    [-820_001, 0, null, 'You owe $0.83.'],
    [1, 0, null, 'Nothing was spent in the last 7 days.'],
    [1, 11_200, null, 'Spent today (UTC): $0.011200. An estimate appears tomorrow.'],
    [1, 11_200, 0, 'Less than a day left at the average of today and up to 7 days before.'],
    [1, 0, 1, 'About 1 day left at the average of today and up to 7 days before.'],
    [1, 0, 1234, 'About 1,234 days left at the average of today and up to 7 days before.'],
  ])('%i micro-USD, %i spent today, for %s days', (balance_micros, today_micros, days_left, text) => {
    expect(paceOf({ balance_micros, today_micros, days_left })).toBe(text);
  });
});
