import { randomUUID } from 'node:crypto';
import type { Model } from '#contract/models.ts';
import type { Transcription, TranscriptionCreate } from '#contract/transcriptions.ts';
import { findFile } from '../files/queries.ts';
import { fileNotFound } from '../not-found.ts';
import type { Caller } from '../../platform/callers.ts';
import type { Outgoing } from '../../platform/outgoing/client.ts';
import { Refusal, invalidRequest } from '../../platform/refusal.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { optionProblems, type RequestedOptions } from '../models/options.ts';
import type { SpeechServices } from '../services.ts';
import { filenameOf } from './fetch.ts';
import { addTranscription } from './queries.ts';

/** `location` of the body in an error; the field's name follows. */
export const PAYLOAD = 'body.payload';

const refused = (field: string, message: string, errorType = 'invalid'): Refusal =>
  invalidRequest([{ error_type: errorType, location: `${PAYLOAD}.${field}`, message }], message);

/** Headers of the request itself, which a webhook's header must not replace. */
const RESERVED_HEADERS = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Checks the request, refuses options that the model lacks, and queues it. @throws Refusal invalid, unpaid, not_found, limit */
export async function createTranscription(
  services: SpeechServices,
  { projectId, origin, apiKeyId, userId }: Caller,
  payload: TranscriptionCreate,
  requestId: string,
): Promise<Transcription> {
  const { db, models, config, outgoing, webhookSealer } = services;
  const model = findModel(models, payload.model, 'async');
  checkSource(payload, config.fetchAudioUrls);
  checkWebhook(payload, outgoing);
  checkOptions(model, payload);
  const file = payload.file_id ? await findFile(db, projectId, payload.file_id) : undefined;
  if (payload.file_id && !file) throw fileNotFound();
  const id = randomUUID();
  return addTranscription(services, {
    id,
    project_id: projectId,
    status: 'queued',
    model: payload.model,
    file_id: file?.id ?? null,
    audio_url: payload.audio_url ?? null,
    filename: file?.filename ?? filenameOf(payload.audio_url ?? ''),
    language_hints: payload.language_hints ? JSON.stringify(payload.language_hints) : null,
    language_hints_strict: payload.language_hints_strict ?? null,
    context: payload.context ? JSON.stringify({ value: payload.context }) : null,
    enable_speaker_diarization: payload.enable_speaker_diarization ?? false,
    enable_language_identification: payload.enable_language_identification ?? false,
    translation: payload.translation ? JSON.stringify(payload.translation) : null,
    webhook_url: payload.webhook_url ?? null,
    webhook_auth_header_name: payload.webhook_auth_header_name ?? null,
    // Only kept if it will be sent.
    webhook_auth_sealed:
      payload.webhook_url && typeof payload.webhook_auth_header_value === 'string'
        ? webhookSealer.seal(payload.webhook_auth_header_value, id)
        : null,
    client_reference_id: payload.client_reference_id ?? null,
    origin,
    api_key_id: apiKeyId,
    user_id: userId,
    request_id: requestId,
  });
}

/** The model with this id or alias. @throws Refusal model_not_available */
export function findModel(models: Catalogue, id: string, mode: Model['transcription_mode']): Model {
  const model = models.resolve(id, mode);
  if (!model)
    throw new Refusal('invalid', 'model_not_available', 'Invalid model specified.', {
      fields: [{ error_type: 'invalid', location: `${PAYLOAD}.model`, message: 'Invalid model specified.' }],
    });
  return model;
}

/** @throws Refusal invalid for options that the model does not support */
export function checkOptions(model: Model, options: RequestedOptions): void {
  const problems = optionProblems(model, options);
  if (problems[0])
    throw invalidRequest(
      problems.map(({ field, message }) => ({ error_type: 'invalid', location: `${PAYLOAD}.${field}`, message })),
      problems[0].message,
    );
}

/** Requires exactly one of `file_id` and `audio_url`; the latter only if the operator allows it. */
function checkSource({ file_id, audio_url }: TranscriptionCreate, fetchesUrls: boolean): void {
  if (file_id && audio_url) throw refused('audio_url', 'Specify either file_id or audio_url, not both.');
  if (audio_url && !fetchesUrls) throw refused('audio_url', 'audio_url is not enabled on this server.');
  if (audio_url && !URL.canParse(audio_url)) throw refused('audio_url', 'Must be an http or https address.');
  if (!file_id && !audio_url)
    throw invalidRequest([{ error_type: 'missing', location: `${PAYLOAD}.file_id`, message: 'Field required' }]);
}

/**
 * Requires an address that the server may call, as far as can be seen without resolving its name, and the header's name
 * and value together. They are allowed without a `webhook_url`.
 */
function checkWebhook(
  { webhook_url, webhook_auth_header_name: name, webhook_auth_header_value: value }: TranscriptionCreate,
  outgoing: Outgoing,
): void {
  if (webhook_url && !URL.canParse(webhook_url)) throw refused('webhook_url', 'Must be an http or https address.');
  if (webhook_url && !outgoing.mayReach(new URL(webhook_url)))
    throw refused('webhook_url', 'This server calls no webhook at this IP address: it is not of the public internet.');
  const hasName = name !== null && name !== undefined;
  const hasValue = value !== null && value !== undefined;
  const both = 'webhook_auth_header_name and webhook_auth_header_value must be given together.';
  if (hasName && !hasValue) throw refused('webhook_auth_header_value', both, 'missing');
  if (hasValue && !hasName) throw refused('webhook_auth_header_name', both, 'missing');
  if (hasName && RESERVED_HEADERS.has(name.toLowerCase()))
    throw refused('webhook_auth_header_name', 'This header cannot be set.');
}
