import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { PaidText, UsdText, usdText } from '#machines/workspace/billing/amount.ts';

const said = (text: string) => v.safeParse(PaidText, text).issues?.[0].message;

describe('BIL-06 BIL-07: amounts as people type them', () => {
  it.each([
    ['25', 25_000_000],
    [' 25.5 ', 25_500_000],
    ['$1,000.05', 1_000_050_000],
    ['0.29', 290_000],
    ['10000.00', 10_000_000_000],
  ])('%j is %d micro-USD, to the cent', (text, micros) => {
    expect(v.parse(UsdText, text)).toBe(micros);
    expect(v.parse(UsdText, usdText(micros))).toBe(micros);
  });

  it.each(['', '-5', '5.001', '5,00', '1e3', 'five', '1,00.00', '٥'])('%j is refused', (text) => {
    expect(v.is(UsdText, text)).toBe(false);
  });

  it('too little and too much are refused in words', () => {
    expect(said('')).toBe('Enter an amount.');
    expect(said('a lot')).toBe('Enter an amount in US dollars, such as 25 or 25.50.');
    expect(said('4.99')).toBe('Pay at least $5.00.');
    expect(said('10000.01')).toBe('Pay at most $10,000.00 at once.');
    expect(said('5')).toBeUndefined();
  });
});
