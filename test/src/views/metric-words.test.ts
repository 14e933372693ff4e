import { describe, expect, it } from 'vitest';
import { sheetOf } from '#machines/workspace/metrics/sheets.ts';
import { latencyEntries } from '#src/views/metrics/drawn.ts';
import { formatPercentile, tableTexts } from '#src/views/metrics/words.ts';
import { busy, latencyOn2nd } from '../../machines/measured.ts';

describe('MTR-12: a latency in words', () => {
  const few = latencyOn2nd(800, 7);
  const shown = {
    ...busy,
    all: { ...busy.all, processing: { ...few, whole: { ...few.whole, p99: null } } },
  };

  it('says that requests are too few for a p99, and that a latency was not measured', () => {
    expect(formatPercentile('p99', { p50: 1, p90: 2, p99: null })).toBe('Under 100 requests');
    expect(formatPercentile('p99', { p50: null, p90: null, p99: null })).toBe('Not measured');
    expect(formatPercentile('p99', { p50: 1, p90: 2, p99: 3 })).toBe('3 ms');
    const [, , p99] = latencyEntries(shown.all, 'processing');
    // The figure of a step is that of its requests.
    expect([p99?.figure(null), p99?.figure(1)]).toEqual(['Under 100 requests', '2.4 s']);
  });

  it('names the latency of each model and of all, in the table of models', () => {
    const { heads, rows } = tableTexts(
      sheetOf('models', shown, { model: null, latency: 'processing' }),
      'daily',
      'utc',
    );
    expect(heads.slice(0, 2)).toEqual(['Model', 'Latency']);
    expect(rows.map(({ name, cells }) => [name, cells[0], ...cells.slice(-3)])).toEqual([
      ['stt-async-v5 Async', 'Processing', '800 ms', '1.6 s', '2.4 s'],
      ['stt-rt-v5 Live', 'First word', '500 ms', '1 s', '1.5 s'],
      ['All models', 'Async: processing', '800 ms', '1.6 s', 'Under 100 requests'],
    ]);
  });
});
