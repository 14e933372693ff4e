import * as v from 'valibot';
import {
  ENDPOINT_LATENCY_ADJUSTMENT_LEVEL,
  ENDPOINT_SENSITIVITY,
  LiveConfig,
  MAX_ENDPOINT_DELAY_MS,
} from '#contract/live.ts';
import type { Model } from '#contract/models.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { optionProblems } from '../models/options.ts';
import { jsonProblem } from '../../platform/text.ts';
import { isStreamFormat, SAMPLE_RATE, type StreamOptions } from '../../engine/port.ts';
import type { Sound } from './audio-path.ts';
import { pcmFormat } from './pcm-formats.ts';
import { refusal, type LiveRefusal } from './refusal.ts';

/** A start request that this server can serve. */
export interface StartRequest {
  model: Model;
  /** The model id as the client sent it, perhaps an alias. It sets the price. */
  requestedModel: string;
  sound: Sound;
  stream: StreamOptions;
  clientReferenceId: string | null;
}

const MALFORMED = 'Start request is malformed.';
const between = ({ min, max }: { min: number; max: number }): string => `between ${min} and ${max}`;
const invalid = (message: string) => (): LiveRefusal => refusal.invalid(message);

/** The refusal of each field that has the wrong shape; in the public API's words, if it has any. */
const FIELD_REFUSALS: Partial<Record<string, () => LiveRefusal>> = {
  model: refusal.unknownModel,
  sample_rate: invalid('Audio data sample rate must be a whole number between 8000 and 192000.'),
  num_channels: invalid('Audio data channels must be a whole number between 1 and 8.'),
  language_hints: invalid('Invalid language hint.'),
  max_endpoint_delay_ms: invalid(`max_endpoint_delay_ms must be a whole number ${between(MAX_ENDPOINT_DELAY_MS)}.`),
  endpoint_sensitivity: invalid(`endpoint_sensitivity must be a number ${between(ENDPOINT_SENSITIVITY)}.`),
  endpoint_latency_adjustment_level: invalid(
    `endpoint_latency_adjustment_level must be a whole number ${between(ENDPOINT_LATENCY_ADJUSTMENT_LEVEL)}.`,
  ),
};

/** Parses the first frame and checks its shape. @throws LiveRefusal */
export function readStartRequest(frame: string): LiveConfig {
  const value = parsed(frame);
  const problem = jsonProblem(value, 'start request');
  if (problem) throw refusal.invalid(`${MALFORMED} ${problem.message}`);
  const read = v.safeParse(LiveConfig, value);
  if (!read.success) throw refusalOfIssue(read.issues[0]);
  // The schema accepts an array: an object without fields.
  if (Array.isArray(value)) throw refusal.invalid(MALFORMED);
  return read.output;
}

function parsed(frame: string): unknown {
  try {
    return JSON.parse(frame);
  } catch {
    throw refusal.invalid(MALFORMED);
  }
}

function refusalOfIssue(issue: v.InferIssue<typeof LiveConfig>): LiveRefusal {
  const field = issue.path?.[0]?.key;
  const { input } = issue;
  if (field === 'context') return refusal.context(typeof input === 'string' ? issue.message : MALFORMED);
  if (field === 'client_reference_id' && typeof input === 'string')
    return refusal.invalid('Client reference ID is too long (max length 256)');
  return (typeof field === 'string' ? FIELD_REFUSALS[field]?.() : undefined) ?? refusal.invalid(MALFORMED);
}

/** Checks that this server can serve a start request. @throws LiveRefusal */
export function checkStartRequest(config: LiveConfig, models: Catalogue): StartRequest {
  const model = models.resolve(config.model, 'real_time');
  if (!model) throw refusal.unknownModel();
  const { sound, sampleRate, channels } = soundOf(config);
  const [problem] = optionProblems(model, config);
  if (problem) throw refusal[problem.field === 'context' ? 'context' : 'invalid'](problem.message);
  return {
    model,
    requestedModel: config.model ?? model.id,
    sound,
    stream: {
      sampleRate,
      channels,
      endpointDetection: config.enable_endpoint_detection ?? false,
      diarization: config.enable_speaker_diarization ?? false,
      languageIdentification: config.enable_language_identification ?? false,
      ...(config.language_hints && { languageHints: config.language_hints }),
      ...(typeof config.language_hints_strict === 'boolean' && { languageHintsStrict: config.language_hints_strict }),
      ...(config.context && { context: config.context }),
      ...(config.translation && { translation: config.translation }),
      ...(config.max_endpoint_delay_ms &&
        model.supports_max_endpoint_delay && { maxEndpointDelayMs: config.max_endpoint_delay_ms }),
    },
    clientReferenceId: config.client_reference_id ?? null,
  };
}

function soundOf({ audio_format: name, sample_rate: sampleRate, num_channels: channels }: LiveConfig): {
  sound: Sound;
  sampleRate: number;
  channels: number;
} {
  if (!name)
    throw refusal.invalid(
      'Missing audio format. Specify a valid audio format (e.g. s16le, f32le, wav, ogg, flac...) or "auto" for auto format detection.',
    );
  if (isStreamFormat(name)) return { sound: { kind: 'container', format: name }, sampleRate: SAMPLE_RATE, channels: 1 };
  const format = pcmFormat(name);
  if (!format) throw refusal.invalid(`Invalid audio data format: ${name.slice(0, 32)}`);
  if (!sampleRate) throw refusal.invalid('Audio data sample rate must be specified for PCM formats');
  if (!channels) throw refusal.invalid('Audio data channels must be specified for PCM formats');
  return { sound: { kind: 'raw', format }, sampleRate, channels };
}
