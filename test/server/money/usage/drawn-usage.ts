/** Requests of two months as if drawn by lot, the same each time. */
import type { UsageEnd } from '#server/money/usage/rows.ts';
import { ended } from '../../usage.ts';

/** A row in the last millisecond of a month, and in the first of the next; hours that a change of clocks skips or repeats. */
const EDGES = [
  '2032-04-30T23:59:59.999Z',
  '2032-05-01T00:00:00.000Z',
  '2032-04-01T00:00:00.000Z',
  '2032-05-31T23:59:59.998Z',
];

/** The same numbers each time: from 0 to below 1. */
function drawing(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** April and May 2032, UTC: of some projects and keys, both kinds, every status, with and without a price. */
export function drawUsage(ids: readonly string[], keys: readonly string[]): UsageEnd[] {
  const random = drawing(13);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const begin = Date.parse('2032-04-01T00:00:00Z');
  return Array.from({ length: 400 }, (_, n) => {
    const kind = one(['async', 'real_time'] as const);
    const status = one(['completed', 'completed', 'completed', 'failed', 'cancelled'] as const);
    const isFree = kind === 'async' && status !== 'completed';
    const key = one([null, ...keys]);
    const ended_at = new Date(EDGES[n] ?? begin + Math.floor(random() * 61 * 86_400_000));
    return ended({
      project_id: one(ids),
      ended_at,
      kind,
      status,
      model: one(['model-1', 'model-2']),
      error_type: status === 'failed' ? one(['invalid_audio', 'internal_error']) : null,
      origin: key === null ? 'playground' : 'public_api',
      api_key_id: key,
      client_reference_id: one([null, 'customer', '=1+1']),
      audio_ms: isFree ? 0 : 1 + Math.floor(random() * 600_000),
      // No price for a while: such requests count, and cost nothing.
      cost_micros: isFree ? 0 : random() < 0.1 ? null : Math.floor(random() * 100_000),
      processing_ms: kind === 'async' ? Math.floor(random() * 60_000) : null,
      first_word_ms: kind === 'real_time' ? Math.floor(random() * 2000) : null,
    });
  });
}
