import { describe, expect, it } from 'vitest';
import type { Metrics } from '#contract/metrics.ts';
import { drawnOf, errorEntries, requestsOf } from '#src/views/metrics/drawn.ts';

const DAYS = 20;
const starts = Array.from({ length: DAYS }, (_, index) => `2026-11-${String(index + 1).padStart(2, '0')}T00:00:00Z`);
const from = (first: number, amount = 1) => starts.map((_, index) => (index < first ? 0 : amount));

/** Metrics of a project that was used from a day on, in streams a day earlier. */
function usedFrom(first: number, refusedFrom = DAYS): Metrics {
  const percentiles = starts.map((_, index) => (index < first ? null : 40));
  const latency = {
    is_exact: true,
    p50: percentiles,
    p90: percentiles,
    p99: percentiles,
    measured: DAYS - first,
    whole: { p50: 40, p90: 40, p99: 40 },
  };
  const measured = {
    requests: from(first),
    errors: from(DAYS),
    cancelled: from(DAYS),
    refused: from(refusedFrom),
    audio_ms: from(first, 1000),
    queue: latency,
    processing: latency,
    first_word: null,
    finals: null,
  };
  return {
    start_date: '2026-11-01',
    end_date: '2026-11-20',
    period: 'daily',
    buckets: starts,
    series: [{ service: 'async', model: 'm', ...measured }],
    all: measured,
    peak_streams: from(first - 1),
    stream_limit: null,
  };
}

describe('UXP-94: the charts of metrics', () => {
  it('MTR-11: begin with refused requests, where these came before all others', () => {
    expect(drawnOf(usedFrom(18, 2)).drawn.buckets).toEqual(starts);
  });

  it('begin together near the first use, every list of them', () => {
    const { drawn, firstUse } = drawnOf(usedFrom(18));
    expect(firstUse).toBe(starts[17]);
    expect(drawn.buckets).toEqual(starts.slice(13));
    const { series, all } = drawn;
    const lists = [
      drawn.peak_streams,
      ...[...series, all].flatMap(({ requests, errors, cancelled, refused, audio_ms, queue, processing }) => [
        ...[requests, errors, cancelled, refused, audio_ms],
        ...[queue, processing].flatMap((one) => [one?.p50, one?.p90, one?.p99]),
      ]),
    ];
    expect(lists.map((list) => list?.length)).toEqual(lists.map(() => 7));
    expect(requestsOf(all)[0]).toMatchObject({ total: 2, values: [0, 0, 0, 0, 0, 1, 1] });
    expect(drawnOf(usedFrom(8))).toEqual({ drawn: usedFrom(8), firstUse: null });
  });

  it('have boxes in the legend where bars stand for lines', () => {
    expect(errorEntries(usedFrom(19).all)[0]?.dash).toBeUndefined();
    expect(errorEntries(usedFrom(18).all)[0]?.dash).toBe('24 0');
  });
});
