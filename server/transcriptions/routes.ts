import { Hono } from 'hono';
import { randomUUID } from 'node:crypto';
import { TranscriptionCreate } from '#contract/transcriptions.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import { fileNotFound } from '../files/routes.ts';
import { findFile } from '../files/queries.ts';
import type { AppEnv, Caller } from '../http/env.ts';
import { ApiProblem, invalidRequest } from '../http/errors.ts';
import { readJson, uuidParam } from '../http/validate.ts';
import { optionProblems } from '../models/options.ts';
import { readPage } from '../v1/paging.ts';
import type { SpeechServices } from '../v1/services.ts';
import { addTranscription, countTranscriptions, deleteTranscription, findTranscript, findTranscription, listTranscriptions } from './queries.ts';

const PAYLOAD = 'body.payload';
const notFound = (): ApiProblem => new ApiProblem(404, 'transcription_not_found', 'Transcription could not be found.');
const invalidState = (message: string): ApiProblem => new ApiProblem(409, 'transcription_invalid_state', message);
const refused = (field: string, message: string): ApiProblem => invalidRequest([{ error_type: 'invalid', location: `${PAYLOAD}.${field}`, message }], message);

/** The caller's transcriptions (speech API §3). */
export function transcriptionRoutes(services: SpeechServices): Hono<AppEnv> {
  const { db } = services;
  return new Hono<AppEnv>()
    .post('/transcriptions', async (c) => c.json(await create(services, c.var.caller, await readJson(c, TranscriptionCreate, PAYLOAD)), 201))
    .get('/transcriptions', async (c) => c.json(await listTranscriptions(db, c.var.caller.projectId, readPage(c))))
    .get('/transcriptions/count', async (c) => c.json(await countTranscriptions(db, c.var.caller.projectId)))
    .get('/transcriptions/:id', async (c) => {
      const transcription = await findTranscription(db, c.var.caller.projectId, uuidParam(c, 'id', notFound()));
      if (!transcription) throw notFound();
      return c.json(transcription);
    })
    .get('/transcriptions/:id/transcript', async (c) => {
      const transcription = await findTranscription(db, c.var.caller.projectId, uuidParam(c, 'id', notFound()));
      if (!transcription) throw notFound();
      if (transcription.status === 'error') throw invalidState('File transcription has failed.');
      if (transcription.status !== 'completed') throw invalidState('Can only get transcript with completed status.');
      const transcript = await findTranscript(db, transcription.id);
      if (!transcript) throw invalidState('Transcript no longer available.');
      return c.json(transcript);
    })
    .delete('/transcriptions/:id', async (c) => {
      const outcome = await deleteTranscription(db, c.var.caller.projectId, uuidParam(c, 'id', notFound()));
      if (outcome === 'unknown') throw notFound();
      if (outcome === 'processing') throw invalidState('Cannot delete transcription with processing status.');
      return c.body(null, 204);
    });
}

/** Takes only what the engine can do; queues it. @throws ApiProblem 400, 404 */
async function create({ db, models, clock }: SpeechServices, { projectId, origin }: Caller, payload: TranscriptionCreate): Promise<Transcription> {
  const model = models.resolve(payload.model, 'async');
  if (!model) throw new ApiProblem(400, 'model_not_available', 'Invalid model specified.', [{ error_type: 'invalid', location: `${PAYLOAD}.model`, message: 'Invalid model specified.' }]);
  if (payload.file_id && payload.audio_url) throw refused('audio_url', 'Specify either file_id or audio_url, not both.');
  if (payload.audio_url) throw refused('audio_url', 'audio_url is not enabled on this server.');
  if (payload.webhook_url) throw refused('webhook_url', 'Webhooks are not enabled on this server.');
  if (!payload.file_id) throw invalidRequest([{ error_type: 'missing', location: `${PAYLOAD}.file_id`, message: 'Field required' }]);
  const problems = optionProblems(model, payload);
  if (problems[0]) throw invalidRequest(problems.map(({ field, message }) => ({ error_type: 'invalid', location: `${PAYLOAD}.${field}`, message })), problems[0].message);
  const file = await findFile(db, projectId, payload.file_id);
  if (!file) throw fileNotFound();
  const now = clock();
  return addTranscription(db, {
    id: randomUUID(),
    project_id: projectId,
    status: 'queued',
    model: payload.model,
    file_id: file.id,
    filename: file.filename,
    language_hints: payload.language_hints ? JSON.stringify(payload.language_hints) : null,
    context: payload.context ? JSON.stringify({ value: payload.context }) : null,
    enable_speaker_diarization: payload.enable_speaker_diarization ?? false,
    enable_language_identification: payload.enable_language_identification ?? false,
    client_reference_id: payload.client_reference_id ?? null,
    origin,
    created_at: now,
  }, now);
}
