// What the tests of the logs speak of: requests by number, and pages of them.
import type { LogEntry, LogPage } from '#contract/logs.ts';
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

export const logPage = (numbers: readonly number[], next_page_cursor: string | null): LogPage => ({
  logs: numbers.map(logEntry),
  next_page_cursor,
  choices: { models: [], keys: [], errors: [] },
});
