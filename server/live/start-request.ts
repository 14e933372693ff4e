import * as v from 'valibot';
import { LiveConfig } from '#contract/live.ts';
import type { Model } from '#contract/models.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { optionProblems } from '../models/options.ts';
import type { StreamOptions } from '../speech/port.ts';
import { refusal, type LiveRefusal } from './refusal.ts';

/** Raw formats that this server takes. */
const FORMATS = new Set(['s16le', 'pcm_s16le']);
const BYTES_PER_SAMPLE = 2;

/** A start request that can be served. */
export interface StartRequest {
  model: Model;
  stream: StreamOptions;
  bytesPerSecond: number;
  clientReferenceId: string | null;
}

const MALFORMED = 'Start request is malformed.';
const REFUSED_FIELD: Partial<Record<string, () => LiveRefusal>> = {
  model: refusal.unknownModel,
  audio_format: () => refusal.invalid('Invalid audio data format.'),
  sample_rate: () => refusal.invalid('Audio data sample rate must be a whole number between 8000 and 192000.'),
  num_channels: () => refusal.invalid('Audio data channels must be a whole number between 1 and 8.'),
  language_hints: () => refusal.invalid('Invalid language hint.'),
  client_reference_id: () => refusal.invalid('Client reference ID is too long (max length 256)'),
};

/** Reads the first frame as far as its shape goes. @throws LiveRefusal */
export function readStartRequest(frame: string): LiveConfig {
  let value: unknown;
  try {
    value = JSON.parse(frame);
  } catch {
    throw refusal.invalid(MALFORMED);
  }
  if (Array.isArray(value)) throw refusal.invalid(MALFORMED);
  const read = v.safeParse(LiveConfig, value);
  if (read.success) return read.output;
  const issue = read.issues[0];
  const field = issue.path?.[0]?.key;
  if (field === 'context' && typeof issue.input === 'string') throw refusal.invalid(issue.message);
  throw (typeof field === 'string' ? REFUSED_FIELD[field]?.() : undefined) ?? refusal.invalid(MALFORMED);
}

/** Holds a start request against what this server can do. @throws LiveRefusal */
export function checkStartRequest(config: LiveConfig, models: Catalogue): StartRequest {
  const model = models.resolve(config.model, 'real_time');
  if (!model) throw refusal.unknownModel();
  if (!config.audio_format)
    throw refusal.invalid('Missing audio format. Specify a valid audio format (e.g. s16le, f32le, wav, ogg, flac...) or "auto" for auto format detection.');
  if (!FORMATS.has(config.audio_format)) throw refusal.invalid(`Invalid audio data format: ${config.audio_format.slice(0, 32)}. This server takes s16le (or pcm_s16le).`);
  if (!config.sample_rate) throw refusal.invalid('Audio data sample rate must be specified for PCM formats');
  if (!config.num_channels) throw refusal.invalid('Audio data channels must be specified for PCM formats');
  const [problem] = optionProblems(model, config);
  if (problem) throw refusal.invalid(problem.message);
  return {
    model,
    stream: {
      sampleRate: config.sample_rate,
      channels: config.num_channels,
      endpointDetection: config.enable_endpoint_detection ?? false,
      diarization: config.enable_speaker_diarization ?? false,
      languageIdentification: config.enable_language_identification ?? false,
    },
    bytesPerSecond: config.sample_rate * config.num_channels * BYTES_PER_SAMPLE,
    clientReferenceId: config.client_reference_id ?? null,
  };
}
