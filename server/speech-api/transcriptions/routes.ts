import { Hono } from 'hono';
import { KEPT_MAX_BYTES, LiveSessionToKeep, TranscriptionCreate } from '#contract/transcriptions.ts';
import type { AppEnv } from '../../http/env.ts';
import { ApiProblem } from '../../http/errors.ts';
import { readJson, uuidParam } from '../../http/validate.ts';
import { readPage } from '../../http/paging.ts';
import { removeStored } from '../../platform/storage/remove-stored.ts';
import { transcriptionNotFound } from '../not-found.ts';
import { countByOrigin } from '../project.ts';
import type { SpeechServices } from '../services.ts';
import { createTranscription, PAYLOAD } from './create.ts';
import { keepLiveSession } from './keep.ts';
import {
  cancelTranscription,
  deleteTranscription,
  findTranscript,
  findTranscription,
  listTranscriptions,
} from './queries.ts';

const invalidState = (message: string): ApiProblem => new ApiProblem(409, 'transcription_invalid_state', message);

/** The caller's transcriptions (speech API §3). */
export function transcriptionRoutes(services: SpeechServices): Hono<AppEnv> {
  const { db, clock } = services;
  return new Hono<AppEnv>()
    .post('/transcriptions', async (c) =>
      c.json(
        await createTranscription(
          services,
          c.var.caller,
          await readJson(c, TranscriptionCreate, PAYLOAD),
          c.var.requestId,
        ),
        201,
      ),
    )
    .post('/transcriptions/live', async (c) =>
      c.json(
        await keepLiveSession(
          services,
          c.var.caller,
          await readJson(c, LiveSessionToKeep, PAYLOAD, KEPT_MAX_BYTES),
          c.var.requestId,
        ),
        201,
      ),
    )
    .get('/transcriptions', async (c) => c.json(await listTranscriptions(db, c.var.caller.projectId, readPage(c))))
    .get('/transcriptions/count', async (c) =>
      c.json(await countByOrigin(db, 'transcriptions', c.var.caller.projectId)),
    )
    .get('/transcriptions/:id', async (c) => {
      const transcription = await findTranscription(
        db,
        c.var.caller.projectId,
        uuidParam(c, 'id', transcriptionNotFound()),
      );
      if (!transcription) throw transcriptionNotFound();
      return c.json(transcription);
    })
    .get('/transcriptions/:id/transcript', async (c) => {
      const transcription = await findTranscription(
        db,
        c.var.caller.projectId,
        uuidParam(c, 'id', transcriptionNotFound()),
      );
      if (!transcription) throw transcriptionNotFound();
      if (transcription.status === 'error') throw invalidState('File transcription has failed.');
      if (transcription.status !== 'completed') throw invalidState('Can only get transcript with completed status.');
      const transcript = await findTranscript(db, transcription.id);
      if (!transcript) throw invalidState('Transcript no longer available.');
      return c.json(transcript);
    })
    .post('/transcriptions/:id/cancel', async (c) => {
      const id = uuidParam(c, 'id', transcriptionNotFound());
      const { projectId } = c.var.caller;
      const outcome = await cancelTranscription(db, projectId, id, clock());
      if (outcome === 'ended') throw invalidState('Cannot cancel a transcription that has ended.');
      const transcription = outcome === 'cancelled' ? await findTranscription(db, projectId, id) : undefined;
      if (!transcription) throw transcriptionNotFound();
      if (transcription.audio_url !== null) await removeStored(services, id);
      return c.json(transcription);
    })
    .delete('/transcriptions/:id', async (c) => {
      const id = uuidParam(c, 'id', transcriptionNotFound());
      const outcome = await deleteTranscription(db, c.var.caller.projectId, id, clock());
      if (outcome === 'unknown') throw transcriptionNotFound();
      if (outcome === 'processing') throw invalidState('Cannot delete transcription with processing status.');
      // A recording that was fetched for it and has not been transcribed yet.
      await removeStored(services, id);
      return c.body(null, 204);
    });
}
