// Compares two answers about a transcription, whose state only goes forward.
import type { Transcription } from '#contract/transcriptions.ts';

/** Whether an answer says that the transcription has not ended. */
export const isRunning = ({ status }: Pick<Transcription, 'status'>): boolean =>
  status !== 'completed' && status !== 'error';

type Progress = Pick<Transcription, 'status' | 'progress'>;

/** 0 queued, 1 running (in any state that the server may have), 2 ended. */
const stepOf = ({ status }: Progress): number => (status === 'queued' ? 0 : isRunning({ status }) ? 1 : 2);
const doneOf = ({ progress }: Progress): number => progress?.audio_ms ?? 0;

/** Whether `answer` is at least as far as `other`. */
export const isLater = (answer: Progress, other: Progress): boolean =>
  stepOf(answer) > stepOf(other) || (stepOf(answer) === stepOf(other) && doneOf(answer) >= doneOf(other));
