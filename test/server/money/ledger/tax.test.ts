import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countryOfVatId, taxIn, taxRefund } from '#server/money/ledger/tax.ts';

const CENT = 10_000;

describe('RCP-05: tax', () => {
  it('is rounded half up to the cent', () => {
    expect(taxIn(25_000_000, 19_000)).toBe(3_990_000);
    // Half a cent exactly, and less.
    expect([taxIn(30_000, 20_000), taxIn(2 * CENT, 19_000)]).toEqual([10_000, 0]);
    expect(taxIn(10_000_000_000, 19_000)).toBe(1_596_640_000);
    expect([taxIn(0, 19_000), taxIn(5_000_000, 0)]).toEqual([0, 0]);
  });

  it('of parts is never more than they are, and together that of the whole', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(parts, fc.integer({ min: 0, max: 99_999 }), (cents, rate) => {
        const paid = { country: null, rate, note: '' };
        const before = { totalMicros: 0, taxMicros: 0 };
        for (const totalMicros of cents.map((cent) => cent * CENT)) {
          const { micros } = taxRefund(totalMicros, paid, before);
          expect(micros).toBeGreaterThanOrEqual(0);
          expect(micros).toBeLessThanOrEqual(totalMicros);
          before.totalMicros += totalMicros;
          before.taxMicros += micros;
        }
        expect(before.taxMicros).toBe(taxIn(before.totalMicros, rate));
      }),
    );
  });

  it.each([
    ['DE123456789', 'DE'],
    ['de 123 456 789', 'DE'],
    ['EL123456789', 'GR'],
    ['ATU12345678', 'AT'],
    ['NL123456789B01', 'NL'],
    ['IE1234567WA', 'IE'],
    ['FRXX123456789', 'FR'],
    ['DE12345678', undefined],
    ['GB 123 4567 89', 'GB'],
    ['CHE-123.456.789 MWST', 'CH'],
    ['NO123456789MVA', 'NO'],
    ['US123456789', undefined],
    ['123456789', undefined],
    ['', undefined],
  ])('%s is of %s', (id, country) => {
    expect(countryOfVatId(id)).toBe(country);
  });
});
