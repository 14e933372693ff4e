import { describe, expect, it } from 'vitest';
import { arrivalText, durationOf, errorOf, isUnused, modelOf, referenceOf } from '#src/views/logs/words.ts';
import { logEntry } from '../../machines/logged.ts';

const entry = { ...logEntry(1), started_at: '2026-05-04T10:00:00Z', ended_at: '2026-05-04T10:00:30Z' };
const refused = {
  ...entry,
  status: 'refused',
  audio_ms: 0,
  cost_micros: null,
  error_type: 'limit_exceeded',
  refusal: { code: 429, message: 'Wait.', requests: 1, several_models: false, several_references: false },
} as const;

describe('LOG-13: a request in the list', () => {
  it('took as long as it was queued and processed, or as its session ran; what was refused took no time', () => {
    expect(durationOf({ ...entry, queue_ms: 20_000, processing_ms: 24 })).toBe(20_024);
    expect(durationOf({ ...entry, kind: 'real_time', queue_ms: null, processing_ms: null })).toBe(30_000);
    expect(durationOf({ ...entry, status: 'cancelled', queue_ms: 5, processing_ms: null })).toBe(30_000);
    expect(durationOf(refused)).toBeNull();
  });

  it('used nothing if it failed without audio and cost', () => {
    expect(isUnused({ ...entry, status: 'failed', audio_ms: 0, cost_micros: 0 })).toBe(true);
    expect(isUnused(refused)).toBe(true);
    expect(isUnused({ ...entry, status: 'failed', audio_ms: 10, cost_micros: 0 })).toBe(false);
    // A completed session without audio has heard nothing: that is a figure.
    expect(isUnused({ ...entry, audio_ms: 0, cost_micros: 0 })).toBe(false);
  });

  it('LOG-11: says how many refusals an entry counts', () => {
    expect(errorOf(refused)).toBe('limit_exceeded');
    expect(errorOf({ ...refused, refusal: { ...refused.refusal, requests: 1200 } })).toBe('limit_exceeded × 1,200');
    expect(errorOf(entry)).toBeNull();
  });

  it('LOG-11: says that an entry counts refusals of several models and references', () => {
    const several = { ...refused.refusal, requests: 3, several_models: true, several_references: true };
    const counting = { ...refused, model: null, client_reference_id: null, refusal: several };
    expect([modelOf(counting), referenceOf(counting)]).toEqual(['Several models', 'Several references']);
    expect([modelOf({ ...entry, model: '' }), modelOf(entry), referenceOf(entry)]).toEqual([
      null,
      entry.model,
      entry.client_reference_id,
    ]);
  });

  it('UXP-60: says how many requests a filter shows, and then how many come', () => {
    const told = (rows: number, changes: object = {}) =>
      arrivalText({
        ...{ nextCursor: null, fresh: null, arrival: null },
        rows: Array.from({ length: rows }, (_, n) => logEntry(n)),
        ...changes,
      });
    expect([told(0), told(1), told(50, { nextCursor: 'c' })]).toEqual(['0 requests', '1 request', '50+ requests']);
    expect(told(51, { arrival: { what: 'new', count: 1 } })).toBe('1 new request, 51 in all.');
  });
});
