import type { Hono } from 'hono';
import { SPEECH_CALLS } from '#contract/api/speech.ts';
import { Calls } from '../../http/calls.ts';
import type { AppEnv } from '../../http/env.ts';
import { Refusal } from '../../platform/refusal.ts';
import { pageOf } from '../../platform/paging.ts';
import { removeStored } from '../../platform/storage/remove-stored.ts';
import { transcriptionNotFound } from '../not-found.ts';
import { countByOrigin } from '../project.ts';
import type { SpeechServices } from '../services.ts';
import { createTranscription, PAYLOAD } from './create.ts';
import { saveLiveSession } from './save-live-session.ts';
import {
  cancelTranscription,
  deleteTranscription,
  findTranscript,
  findTranscription,
  listTranscriptions,
} from './queries.ts';

const invalidState = (message: string): Refusal => new Refusal('conflict', 'transcription_invalid_state', message);

/** The caller's transcriptions (speech API §3). */
export function transcriptionRoutes(services: SpeechServices): Hono<AppEnv> {
  const { db, clock } = services;
  return new Calls({ missing: transcriptionNotFound, bodyAt: PAYLOAD })
    .answer(SPEECH_CALLS.createTranscription, ({ c, body }) =>
      createTranscription(services, c.var.caller, body, c.var.requestId),
    )
    .answer(SPEECH_CALLS.keepLiveSession, ({ c, body }) =>
      saveLiveSession(services, c.var.caller, body, c.var.requestId),
    )
    .answer(SPEECH_CALLS.listTranscriptions, ({ c, query }) =>
      listTranscriptions(db, c.var.caller.projectId, pageOf(query)),
    )
    .answer(SPEECH_CALLS.countTranscriptions, ({ c }) => countByOrigin(db, 'transcriptions', c.var.caller.projectId))
    .answer(SPEECH_CALLS.readTranscription, ({ c, param }) =>
      findTranscription(db, c.var.caller.projectId, param('id')),
    )
    .answer(SPEECH_CALLS.readTranscript, async ({ c, param }) => {
      const transcription = await findTranscription(db, c.var.caller.projectId, param('id'));
      if (!transcription) return undefined;
      if (transcription.status === 'error') throw invalidState('File transcription has failed.');
      if (transcription.status !== 'completed') throw invalidState('Can only get transcript with completed status.');
      const transcript = await findTranscript(db, transcription.id);
      if (!transcript) throw invalidState('Transcript no longer available.');
      return transcript;
    })
    .answer(SPEECH_CALLS.cancelTranscription, async ({ c, param }) => {
      const { projectId } = c.var.caller;
      const outcome = await cancelTranscription(db, projectId, param('id'), clock());
      if (outcome === 'ended') throw invalidState('Cannot cancel a transcription that has ended.');
      const transcription = outcome === 'cancelled' ? await findTranscription(db, projectId, param('id')) : undefined;
      if (transcription && transcription.audio_url !== null) await removeStored(services, transcription.id);
      return transcription;
    })
    .answer(SPEECH_CALLS.deleteTranscription, async ({ c, param }) => {
      const outcome = await deleteTranscription(db, c.var.caller.projectId, param('id'), clock());
      if (outcome === 'unknown') throw transcriptionNotFound();
      if (outcome === 'processing') throw invalidState('Cannot delete transcription with processing status.');
      // A recording that was fetched for it and has not been transcribed yet.
      await removeStored(services, param('id'));
    });
}
