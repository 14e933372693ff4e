// How far a transcription is, and which of two answers about it is the later one: its state only goes forward.
import type { Transcription } from '#contract/transcriptions.ts';

/** Whether it has not ended, as far as is known here. */
export const isRunning = ({ status }: Pick<Transcription, 'status'>): boolean =>
  status !== 'completed' && status !== 'error';

type Stand = Pick<Transcription, 'status' | 'progress'>;

/** Waiting, at work in any state that the server may have, ended. */
const stepOf = ({ status }: Stand): number => (status === 'queued' ? 0 : isRunning({ status }) ? 1 : 2);
const doneOf = ({ progress }: Stand): number => progress?.audio_ms ?? 0;

/** Whether an answer is not older than another, as far as they tell. */
export const isLater = (answer: Stand, other: Stand): boolean =>
  stepOf(answer) > stepOf(other) || (stepOf(answer) === stepOf(other) && doneOf(answer) >= doneOf(other));
