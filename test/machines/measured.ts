/** What the server may have measured over two days: a model for files and one for live sessions. */
import type { Latency, Metrics } from '#contract/metrics.ts';

/** A latency of the second day alone, milliseconds. */
export const latencyOn2nd = (p50: number, measured = 1): Latency => ({
  is_exact: true,
  p50: [null, p50],
  p90: [null, p50 * 2],
  p99: [null, p50 * 3],
  measured,
  whole: { p50, p90: p50 * 2, p99: p50 * 3 },
});

const none = { requests: [0, 0], errors: [0, 0], cancelled: [0, 0], refused: [0, 0], audio_ms: [0, 0] };
const unmeasured = { queue: null, processing: null, first_word: null, finals: null };

export const idle: Metrics = {
  start_date: '2026-04-01',
  end_date: '2026-04-02',
  period: 'daily',
  buckets: ['2026-04-01T00:00:00.000Z', '2026-04-02T00:00:00.000Z'],
  series: [],
  all: { ...none, ...unmeasured },
  peak_streams: [0, 0],
  stream_limit: 10,
};

const file = {
  requests: [0, 8],
  errors: [0, 1],
  cancelled: [0, 2],
  refused: [0, 0],
  audio_ms: [0, 60_000],
  ...unmeasured,
  queue: latencyOn2nd(40, 7),
  processing: latencyOn2nd(800, 7),
};
const live = {
  requests: [4, 2],
  errors: [1, 0],
  cancelled: [0, 0],
  refused: [0, 0],
  audio_ms: [30_000, 15_000],
  ...unmeasured,
  first_word: latencyOn2nd(500, 2),
};

export const busy: Metrics = {
  ...idle,
  series: [
    { service: 'async', model: 'stt-async-v5', ...file },
    { service: 'real_time', model: 'stt-rt-v5', ...live },
  ],
  all: {
    requests: [4, 10],
    errors: [1, 1],
    cancelled: [0, 2],
    refused: [0, 0],
    audio_ms: [30_000, 75_000],
    queue: file.queue,
    processing: file.processing,
    first_word: live.first_word,
    finals: null,
  },
  peak_streams: [2, 3],
};

export const FILE_MODEL = 'async stt-async-v5';
export const LIVE_MODEL = 'real_time stt-rt-v5';
