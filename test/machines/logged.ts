// What the tests of the logs speak of: requests by number, and pages of them.
import type { LogDetails, LogEntry, LogPage, LogRequest } from '#contract/logs.ts';
import { uuidOf } from './people.ts';

export const logEntry = (n: number): LogEntry => ({
  id: uuidOf(n),
  request_id: uuidOf(100 + n),
  started_at: '2026-05-04T10:00:00Z',
  ended_at: '2026-05-04T10:00:01Z',
  kind: 'async',
  status: 'completed',
  model: 'm',
  origin: 'playground',
  key: null,
  person: 'ada@example.com',
  client_reference_id: null,
  audio_ms: 1000,
  cost_micros: 28,
  error_type: null,
  queue_ms: 1,
  processing_ms: 2,
  first_word_ms: null,
  finals_ms: null,
  refusal: null,
});

export const logDetails = (changes: Partial<LogDetails> = {}): LogDetails => ({
  ...logEntry(1),
  output_tokens: 3,
  billing_day: '2026-05-04',
  error_message: null,
  transcription_id: null,
  settings: null,
  request: null,
  ...changes,
});

/** What a refused request asked for. */
export const logRequest = (changes: Partial<LogRequest> = {}): LogRequest => ({
  model: 'async-1',
  file_id: null,
  language_hints: null,
  language_hints_strict: null,
  enable_speaker_diarization: null,
  enable_language_identification: null,
  enable_audio_event_detection: null,
  enable_endpoint_detection: null,
  translation: null,
  left_out: [],
  ...changes,
});

export const logPage = (numbers: readonly number[], next_page_cursor: string | null): LogPage => ({
  logs: numbers.map(logEntry),
  next_page_cursor,
  choices: { models: [], keys: [], errors: [] },
});
