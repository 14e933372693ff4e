import type { Transcript, Transcription, TranscriptionCreate } from '#contract/transcriptions.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** POST /v1/transcriptions. */
export const createTranscription = promisePlaceholder<Transcription, { create: TranscriptionCreate }>(
  'createTranscription',
);
/** GET /v1/transcriptions/{id}. */
export const fetchTranscription = promisePlaceholder<Transcription, { id: string }>('fetchTranscription');
/** GET /v1/transcriptions/{id}/transcript. */
export const fetchTranscript = promisePlaceholder<Transcript, { id: string }>('fetchTranscript');
/** POST /v1/transcriptions/{id}/cancel. */
export const cancelTranscription = promisePlaceholder<Transcription, { id: string }>('cancelTranscription');
