/** Saves live sessions as transcriptions (LVP-06). */
import { randomUUID } from 'node:crypto';
import { MARKERS } from '#contract/live.ts';
import type { LiveSessionToKeep, Transcription } from '#contract/transcriptions.ts';
import type { Caller } from '../../platform/callers.ts';
import type { SpeechServices } from '../services.ts';
import { checkOptions, findModel } from './create.ts';
import { addCompleted } from './queries.ts';

/**
 * Adds a completed transcription for a live session: the session was billed. If it was saved before, returns that
 * transcription.
 * @throws Refusal invalid, limit
 */
export async function saveLiveSession(
  services: Pick<SpeechServices, 'db' | 'models' | 'clock' | 'limitDefaults' | 'storedItemLimits'>,
  { projectId, origin, apiKeyId, userId }: Caller,
  session: LiveSessionToKeep,
  requestId: string,
): Promise<Transcription> {
  const { models, clock } = services;
  checkOptions(findModel(models, session.model, 'real_time'), session);
  const now = clock();
  return addCompleted(
    services,
    {
      id: randomUUID(),
      project_id: projectId,
      status: 'completed',
      model: session.model,
      file_id: null,
      audio_url: null,
      filename: session.filename,
      audio_duration_ms: session.audio_duration_ms,
      language_hints: session.language_hints ? JSON.stringify(session.language_hints) : null,
      language_hints_strict: session.language_hints_strict ?? null,
      context: session.context ? JSON.stringify({ value: session.context }) : null,
      enable_speaker_diarization: session.enable_speaker_diarization ?? false,
      enable_language_identification: session.enable_language_identification ?? false,
      translation: session.translation ? JSON.stringify(session.translation) : null,
      origin,
      api_key_id: apiKeyId,
      user_id: userId,
      request_id: requestId,
      session_request_id: session.request_id ?? null,
      created_at: now,
      finished_at: now,
    },
    session.tokens.filter(({ text }) => !MARKERS.has(text)),
  );
}
