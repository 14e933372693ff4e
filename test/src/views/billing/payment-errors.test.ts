import { describe, expect, it } from 'vitest';
import { PAYMENT_ERROR_REASONS } from '#contract/billing.ts';
import { wordsOf } from '#src/views/billing/paymentErrors.ts';

const error = { message: 'No.', at: '2026-04-15T10:00:00.000Z', next_try_at: null, others: [], version: 'v1' };

describe('BIX-03 BIX-07: what has stopped autopay', () => {
  it('is told by its kind, and only a decline says that a charge failed', () => {
    const titles = PAYMENT_ERROR_REASONS.map((why) => wordsOf({ ...error, why }).title);
    expect(new Set(titles).size).toBe(PAYMENT_ERROR_REASONS.length);
    expect(titles.filter((title) => title.includes('failed'))).toEqual([wordsOf({ ...error, why: 'declined' }).title]);
  });

  it.each([
    ['unknown', "We're still waiting for an answer to the last charge.", 'Reset and ask again'],
    ['silent', 'A charge had no answer for 30 days.', 'Reset and charge again'],
    ['refunded', 'Autopay has stopped after a refund.', 'Reset and continue'],
    ['disputed', 'Autopay has stopped after a dispute.', 'Reset and continue'],
    ['mismatched', "The last charge doesn't match what we asked for.", 'Reset and charge again'],
  ] as const)('is told in these words: %s', (why, title, reset) => {
    expect(wordsOf({ ...error, why })).toMatchObject({ title, reset });
  });

  it.each(PAYMENT_ERROR_REASONS)('is told with what there is to do: %s', (why) => {
    const { text, reset } = wordsOf({ ...error, why });
    expect(text).toMatch(/^No\. .*reset/i);
    expect(reset).toMatch(/^Reset and /);
  });

  it('is told with all else that autopay waits for', () => {
    const other = { message: 'Paid back.', at: '2026-04-16T10:00:00.000Z' };
    const { also } = wordsOf({ ...error, why: 'disputed', others: [other] });
    expect(also).toMatchObject([{ at: other.at, message: 'Paid back.' }]);
  });

  it('is told with the next try, where there is one', () => {
    const { text } = wordsOf({ ...error, why: 'declined', next_try_at: '2026-04-15T11:00:00.000Z' });
    expect(text).toMatch(/^No\. Autopay tries again on Apr 15, 2026, 11:00 UTC\./);
  });
});
