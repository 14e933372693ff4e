import { describe, expect, it } from 'vitest';
import {
  cappedText,
  changeTitle,
  reservedText,
  sourceText,
  usedText,
  useText,
} from '../../../../../src/views/ui/limits/words.ts';
import { limit } from '../../../../machines/limits.ts';

const GB = 2 ** 30;

describe('ORG-07 PRJ-07: limits in words', () => {
  it.each([
    [limit('concurrent_streams'), '2 of 10 streams in use'],
    [limit('concurrent_streams', { value: 1, used: 1 }), '1 of 1 stream in use'],
    [limit('requests_per_minute', { value: 1000, used: 1 }), '1 of 1,000 requests in the last minute'],
    [limit('waiting_jobs', { value: 100, used: 0 }), '0 of 100 transcriptions waiting'],
    [limit('stored_bytes', { value: 10 * GB, used: 3.1 * GB }), '3.1 GiB of 10 GiB'],
    [limit('stored_bytes', { value: 10 * GB, used: 861_572 }), '841 KiB of 10 GiB'],
    [limit('stored_bytes', { value: 10 * GB, used: 0 }), '0 GiB of 10 GiB'],
    [limit('audio_minutes', { value: 1200, used: 90 }), '90 of 1,200 minutes this month'],
    [limit('audio_minutes', { value: 3, used: 2.5 }), '2.5 of 3 minutes this month'],
    [limit('audio_minutes', { value: 1, used: 0.983 }), '0.983 of 1 minute this month'],
    [limit('budget_micros', { value: 50_000_000, used: 12_400_000 }), '$12.40 of $50.00 this month'],
    [limit('concurrent_streams', { value: null, used: 1 }), '1 stream in use'],
    [limit('budget_micros', { value: null, used: 1200 }), '$0.001200 this month'],
  ])('what is used: %o', (of, text) => {
    expect(usedText(of)).toBe(text);
  });

  it.each([
    [limit('concurrent_streams'), '2 in use'],
    [limit('requests_per_minute', { value: 1000, used: 1 }), '1 in the last minute'],
    [limit('stored_bytes', { value: 10 * GB, used: 861_572 }), '841 KiB'],
    [limit('audio_minutes', { value: 1200, used: 90 }), '90 this month'],
    [limit('budget_micros', { value: null, used: 12_400_000 }), '$12.40 this month'],
  ])('what is used, beside the limit: %o', (of, text) => {
    expect(useText(of)).toBe(text);
  });

  it('LIM-07: and what is reserved beside it', () => {
    expect(reservedText(limit('budget_micros', { reserved: 100_000 }))).toBe(' · $0.10 reserved');
    expect(reservedText(limit('audio_minutes', { reserved: 0 }))).toBe('');
    expect(reservedText(limit('audio_minutes', { reserved: 1.017 }))).toBe(' · 1.017 minutes reserved');
  });

  it.each([
    ['organization', limit('concurrent_streams'), 'Default · at most 20 streams'],
    ['organization', limit('concurrent_streams', { value: 20 }), 'Default'],
    ['organization', limit('concurrent_streams', { own: 10 }), 'The organization · at most 20 streams'],
    ['project', limit('stored_bytes', { value: GB, maximum: null }), 'The organization'],
    ['project', limit('stored_bytes', { own: GB, maximum: 10 * GB }), 'This project · at most 10 GiB'],
  ] as const)('where it comes from: %s %o', (what, of, text) => {
    expect(sourceText(what, of)).toBe(text);
  });

  it.each([
    ['stored_bytes', 'Change the limit of stored files'],
    ['audio_minutes', 'Change the limit of audio per month'],
    ['budget_micros', 'Change the monthly budget'],
  ] as const)('changing one is named: %s', (name, text) => {
    expect(changeTitle(name)).toBe(text);
  });

  it('a limit above that of the organization says which one holds', () => {
    expect(cappedText(limit('concurrent_streams', { own: 10, value: 10 }))).toBeNull();
    expect(cappedText(limit('concurrent_streams', { own: 15, value: 10 }))).toBe(
      'Set to 15 streams here, but the organization allows only 10 streams.',
    );
  });
});
