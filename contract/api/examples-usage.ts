// Usage, costs, logs and metrics.
import type * as v from 'valibot';
import { LogDetails, LogPage, type LogEntry } from '../logs.ts';
import { Metrics } from '../metrics.ts';
import { OrganizationUsageRequest, UsageActivity, UsageCost, UsageRequest } from '../usage.ts';
import { example, TRANSCRIPTION, PROJECT, apiKey } from './example.ts';

const log = {
  id: 'a3b2c1d0-e4f5-4a6b-9c8d-7e6f5a4b3c99',
  request_id: '3b0f9a52-6c1d-4e7a-9f28-5d4c3b2a1055',
  started_at: '2026-05-04T09:31:00.000Z',
  ended_at: '2026-05-04T09:31:04.180Z',
  kind: 'async',
  status: 'completed',
  model: 'parlance-async-1',
  origin: 'public_api',
  key: { uuid: apiKey.uuid, name: apiKey.name },
  person: null,
  client_reference_id: 'customer-7',
  audio_ms: 57_600,
  cost_micros: 1600,
  error_type: null,
  queue_ms: 130,
  processing_ms: 4050,
  first_word_ms: null,
  finals_ms: null,
  refusal: null,
} as const satisfies v.InferOutput<typeof LogEntry>;
const processing = {
  is_exact: true,
  p50: [null, 3900],
  p90: [null, 5200],
  p99: [null, 8100],
  measured: 11,
  whole: { p50: 3900, p90: 5200, p99: null },
};
const measured = {
  requests: [0, 12],
  errors: [0, 1],
  cancelled: [0, 0],
  refused: [0, 2],
  audio_ms: [0, 691_200],
  queue: null,
  processing,
  first_word: null,
  finals: null,
};
const days = { start_date: '2026-05-03', end_date: '2026-05-04' };

export const USAGE_EXAMPLES = [
  example(UsageRequest, { ...days, period: 'daily' }),
  example(OrganizationUsageRequest, { ...days, period: 'daily', project_ids: [PROJECT], services: ['async'] }),
  example(UsageActivity, {
    ...days,
    period: 'daily',
    buckets: ['2026-05-03T00:00:00.000Z', '2026-05-04T00:00:00.000Z'],
    series: [{ service: 'async', model: 'parlance-async-1', requests: [0, 12], audio_ms: [0, 691_200] }],
    totals: { requests: 12, audio_ms: 691_200 },
  }),
  example(UsageCost, {
    ...days,
    period: 'daily',
    buckets: ['2026-05-03T00:00:00.000Z', '2026-05-04T00:00:00.000Z'],
    currency: 'USD',
    series: [{ service: 'async', model: 'parlance-async-1', cost_micros: [0, 19_200] }],
    totals: { cost_micros: 19_200 },
  }),
  example(LogPage, {
    logs: [log],
    next_page_cursor: null,
    choices: {
      models: [{ model: 'parlance-async-1', requests: 12 }],
      keys: [{ uuid: apiKey.uuid, name: apiKey.name, requests: 12 }],
      errors: [{ error_type: 'invalid_audio', requests: 1 }],
    },
  }),
  example(LogDetails, {
    ...log,
    output_tokens: 212,
    billing_day: '2026-05-04',
    error_message: null,
    transcription_id: TRANSCRIPTION,
    settings: {
      filename: 'interview.wav',
      language_hints: ['en'],
      language_hints_strict: null,
      context: null,
      enable_speaker_diarization: true,
      enable_language_identification: false,
      translation: null,
    },
    request: null,
  }),
  example(Metrics, {
    ...days,
    period: 'daily',
    buckets: ['2026-05-03T00:00:00.000Z', '2026-05-04T00:00:00.000Z'],
    series: [{ service: 'async', model: 'parlance-async-1', ...measured }],
    all: measured,
    peak_streams: [0, 2],
    stream_limit: 10,
  }),
] as const;
