import { describe, expect, it } from 'vitest';
import { PAYMENT_ERROR_REASONS } from '#contract/payment-errors.ts';
import { resetOf, titleOf, wordsOf } from '#src/views/billing/paymentErrors.ts';

const error = {
  ...{ message: 'No.', at: '2026-04-15T10:00:00.000Z', amount_micros: null },
  ...{ next_try_at: null, others: [], version: 'v1' },
};
const setup = { place: 'setup', method: null } as const;

describe('BIX-03 BIX-07: what has stopped autopay', () => {
  it('is told by its kind, and only a decline says that a charge failed', () => {
    const titles = PAYMENT_ERROR_REASONS.map((why) => titleOf({ ...error, why }));
    expect(new Set(titles).size).toBe(PAYMENT_ERROR_REASONS.length);
    expect(titles.filter((title) => title.includes('failed'))).toEqual([titleOf({ ...error, why: 'declined' })]);
  });

  it.each([
    ['unknown', "We're still waiting for an answer to the last charge.", 'Reset and ask again'],
    ['silent', 'A charge had no answer for 30 days.', 'Reset and charge again'],
    ['refunded', 'Autopay has stopped after a refund.', 'Reset and continue'],
    ['disputed', 'Autopay has stopped after a dispute.', 'Reset and continue'],
    ['mismatched', "The last charge doesn't match what we asked for.", 'Reset and charge again'],
  ] as const)('is told in these words: %s', (why, title, reset) => {
    expect([titleOf({ ...error, why }), resetOf({ ...error, why })]).toEqual([title, reset]);
  });

  it.each(PAYMENT_ERROR_REASONS)('is told with what there is to do: %s', (why) => {
    expect(wordsOf({ ...error, why }, setup).text).toMatch(/^No\. .*reset/i);
    expect(resetOf({ ...error, why })).toMatch(/^Reset and /);
  });

  it('is told with all else that autopay waits for', () => {
    const other = { message: 'Paid back.', at: '2026-04-16T10:00:00.000Z' };
    const { also } = wordsOf({ ...error, why: 'disputed', others: [other] }, setup);
    expect(also).toMatchObject([{ at: other.at, message: 'Paid back.' }]);
  });

  it.each([
    [
      setup,
      'Replace the payment method, or add to the balance in the billing overview. To try again now, reset the error.',
    ],
    [
      { ...setup, place: 'overview' },
      'Add to the balance, or replace the payment method in Payment setup. To try again now, reset the error there.',
    ],
  ] as const)('is told with amount, card, the next try, and what helps on the screen: %j', (place, helps) => {
    const next_try_at = '2026-04-15T11:00:00.000Z';
    const method = { brand: 'visa', last4: '3155', expires_month: 12, expires_year: 2099 };
    const { text } = wordsOf(
      { ...error, why: 'declined', amount_micros: 29_490_000, next_try_at },
      { ...place, method },
    );
    expect(text).toBe(
      `$29.49 could not be charged to Visa ending in 3155. No. Autopay tries again on Apr 15, 2026, 11:00 UTC. ${helps}`,
    );
  });

  it.each(PAYMENT_ERROR_REASONS)('is told as the result of a reset, with its time, if it is a decline: %s', (why) => {
    const { text } = wordsOf({ ...error, why }, { ...setup, isRetried: true });
    expect(text.startsWith('Tried again on Apr 15, 2026, 10:00 UTC: No. ')).toBe(why === 'declined');
    expect(text).toContain('No. ');
  });
});
