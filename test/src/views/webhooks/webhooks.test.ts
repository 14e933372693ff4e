import { describe, expect, it } from 'vitest';
import { isBadAddress, shownOf } from '#machines/workspace/webhooks/view.ts';
import { formatDue, hiddenText, outcomeOf, reasonOf } from '#src/views/webhooks/words.ts';

const ID = '00000000-0000-4000-8000-000000000001';
const NOW = Date.parse('2026-05-04T10:00:00Z');
const inMs = (ms: number) => formatDue(new Date(NOW + ms).toISOString(), NOW);

describe('WHK-08: webhooks in words', () => {
  it('says how a try ended, and why it failed', () => {
    const told = (status_code: number | null, failure: Parameters<typeof outcomeOf>[0]['failure']) => [
      outcomeOf({ status_code, failure }),
      reasonOf({ status_code, failure }),
    ];
    expect(told(204, null)).toEqual(['HTTP 204', null]);
    expect(told(503, 'status')).toEqual(['HTTP 503', 'Only a status of 2xx counts as received.']);
    expect(told(301, 'status')).toEqual(['HTTP 301', 'Redirects are not followed.']);
    expect(told(null, 'too_slow')).toEqual(['No answer in time', 'There was no answer within 10 seconds.']);
    expect(told(null, null)).toEqual([null, null]);
  });

  it('says when the next try is', () => {
    expect([-1, 1, 59_999, 60_000, 35 * 60_000, 8 * 3_600_000].map(inMs)).toEqual([
      'now',
      'in under 1 min',
      'in under 1 min',
      'in 1 min',
      'in 35 min',
      'in 8 hr',
    ]);
  });

  it('says of how many tries the latest are listed', () => {
    const delivery = { transcription_id: ID, address: '', state: 'failed', status_code: null, failure: null } as const;
    const times = { created_at: '', changed_at: '', next_try_at: null, can_be_sent_again: true };
    expect(hiddenText({ ...delivery, ...times, tries: 50 })).toBeNull();
    expect(hiddenText({ ...delivery, ...times, tries: 1234 })).toBe('The latest 50 of 1,234.');
  });

  it('is shown as the address asks for, as far as there is such a thing', () => {
    expect([shownOf({ state: 'failed', webhook: ID }), isBadAddress({ state: 'failed', webhook: ID })]).toEqual([
      { state: 'failed', webhook: ID },
      false,
    ]);
    expect([shownOf({ state: 'lost', webhook: 'that one' }), isBadAddress({ state: 'lost' })]).toEqual([{}, true]);
  });
});
