// The speech API: files, transcriptions, models, temporary keys and the live socket.
import type * as v from 'valibot';
import { Counts, FilePage, FileUrl, StoredFile } from '../files.ts';
import { LiveConfig, LiveControl, LiveFailure, LiveResult } from '../live.ts';
import { Model, ModelList } from '../models.ts';
import { TemporaryKey, TemporaryKeyRequest } from '../temporary-keys.ts';
import {
  LiveSessionToKeep,
  Transcript,
  Transcription,
  TranscriptionCreate,
  TranscriptionEnded,
  TranscriptionPage,
} from '../transcriptions.ts';
import { ConcurrencyLimits, UsageLogPage } from '../usage-logs.ts';
import { example, FILE, TRANSCRIPTION } from './example.ts';

const file: v.InferOutput<typeof StoredFile> = {
  id: FILE,
  filename: 'interview.wav',
  size: 1_843_244,
  created_at: '2026-05-04T09:30:00.000Z',
  client_reference_id: null,
};
const tokens: v.InferOutput<typeof Transcript>['tokens'] = [
  { text: ' Good', start_ms: 120, end_ms: 340, confidence: 0.98, speaker: '1', language: 'en' },
  { text: ' morning.', start_ms: 340, end_ms: 810, confidence: 0.97, speaker: '1', language: 'en' },
];

const transcription: v.InferInput<typeof Transcription> = {
  id: TRANSCRIPTION,
  status: 'completed',
  created_at: '2026-05-04T09:31:00.000Z',
  model: 'parlance-async-1',
  filename: 'interview.wav',
  file_id: FILE,
  audio_duration_ms: 57_600,
  audio_notes: [{ type: 'tracks_mixed', count: 2 }],
  language_hints: ['en'],
  enable_speaker_diarization: true,
  enable_language_identification: false,
  cost_usd: '0.0016',
};
const model: v.InferInput<typeof Model> = {
  id: 'parlance-async-1',
  name: 'Parlance Async 1',
  aliased_model_id: null,
  context_version: 2,
  transcription_mode: 'async',
  languages: [{ code: 'en', name: 'English' }],
  one_way_translation: null,
  two_way_translation: null,
  translation_targets: [],
  two_way_translation_pairs: [],
  supports_language_hints_strict: true,
  supports_max_endpoint_delay: false,
};
const usageLog: v.InferOutput<typeof UsageLogPage>['usage_logs'][number] = {
  uuid: TRANSCRIPTION,
  request_scope: 'api',
  client_reference_id: null,
  model: 'parlance-async-1',
  start_time: '2026-05-04T09:31:00.000Z',
  end_time: '2026-05-04T09:31:04.000Z',
  input_text_tokens: 0,
  input_audio_tokens: 0,
  input_audio_duration_ms: 57_600,
  output_text_tokens: 210,
  output_audio_tokens: 0,
  output_audio_duration_ms: 0,
  cost_usd: '0.0016',
  input_cost_usd: '0.0016',
  input_text_cost_usd: '0',
  input_audio_cost_usd: '0.0016',
  output_cost_usd: '0',
  output_text_cost_usd: '0',
  output_audio_cost_usd: '0',
};

export const SPEECH_EXAMPLES = [
  example(StoredFile, file),
  example(FilePage, { files: [file], next_page_cursor: null }),
  example(FileUrl, { url: `https://example.com/v1/files/${FILE}/download?token=c2lnbmVk` }),
  example(Counts, { total: 12, public_api: 10, playground: 2 }),
  example(TranscriptionCreate, {
    model: 'parlance-async-1',
    file_id: FILE,
    language_hints: ['en'],
    enable_speaker_diarization: true,
  }),
  example(Transcription, transcription),
  example(TranscriptionPage, { transcriptions: [transcription], next_page_cursor: null }),
  example(LiveSessionToKeep, { model: 'parlance-rt-1', filename: 'Microphone', audio_duration_ms: 32_000, tokens }),
  example(TranscriptionEnded, { id: TRANSCRIPTION, status: 'completed' }),
  example(Transcript, { id: TRANSCRIPTION, text: ' Good morning.', tokens }),
  example(Model, model),
  example(ModelList, { models: [model] }),
  example(UsageLogPage, { usage_logs: [usageLog], next_page_cursor: null }),
  example(ConcurrencyLimits, {
    project: {
      current: { transcribe_concurrent: 1, tts_concurrent: 0 },
      limits: { transcribe_concurrent: 10, tts_concurrent: 0 },
    },
    organization: {
      current: { transcribe_concurrent: 3, tts_concurrent: 0 },
      limits: { transcribe_concurrent: 10, tts_concurrent: 0 },
    },
  }),
  example(TemporaryKeyRequest, { usage_type: 'transcribe_websocket', expires_in_seconds: 60 }),
  example(TemporaryKey, { api_key: 'prl_temp_c2hvcnQtbGl2ZWQ', expires_at: '2026-05-04T09:32:00.000Z' }),
  example(LiveConfig, {
    api_key: 'YOUR_API_KEY',
    model: 'parlance-rt-1',
    audio_format: 's16le',
    sample_rate: 16_000,
    num_channels: 1,
    language_hints: ['en'],
    enable_endpoint_detection: true,
  }),
  example(LiveControl, { type: 'finalize' }),
  example(LiveResult, {
    tokens: tokens.map((token) => ({ ...token, is_final: true })),
    final_audio_proc_ms: 810,
    total_audio_proc_ms: 960,
  }),
  example(LiveFailure, {
    tokens: [],
    error_code: 408,
    error_type: 'request_timeout',
    error_message: 'Request timeout.',
    request_id: '3b0f9a52-6c1d-4e7a-9f28-5d4c3b2a1055',
  }),
] as const;
