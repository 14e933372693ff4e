import { CANCELLED_TYPE, type AudioNoteType, type Transcription } from '#contract/transcriptions.ts';
import type { TranscriptionContext } from './machine.ts';

/** Instead of a transcript that cannot be read (ASY-10). */
export const NO_DATA = 'No transcription data available. Try again later.';
/** Instead of a transcript without text (ASY-10). */
export const NO_TEXT = '[No transcription text available.]';

/** 'Transcription {filename} is {status}.'; null before the first answer. */
export function statusText({ transcription }: TranscriptionContext): string | null {
  return transcription && `Transcription ${transcription.filename} is ${transcription.status}.`;
}

/** Announces that a transcription was completed while it was open; empty otherwise. Its failure is an alert. */
export const completionText = ({ transcript, wasRunning }: TranscriptionContext): string =>
  transcript !== null && wasRunning ? 'Transcription completed.' : '';

export const CANCELLED = 'This transcription was cancelled.';
/** Title above the reason. */
export const NOT_CANCELLED = 'The transcription could not be cancelled.';

export type ShownProgress = {
  /** Null if the length of the recording is unknown. */
  percent: number | null;
  words: string;
};

/** The shown progress of an unfinished transcription, at most 99 %; null if unknown. */
export function progressOf({ status, progress }: Pick<Transcription, 'status' | 'progress'>): ShownProgress | null {
  if (status === 'queued') return { percent: null, words: 'It waits for its turn.' };
  if (status !== 'processing' || progress === null) return null;
  const { audio_ms: done, total_ms: total } = progress;
  if (total === null || total === 0) return { percent: null, words: `${clockOf(done)} of the recording done.` };
  return {
    percent: Math.min(99, Math.floor((done / total) * 100)),
    words: `${clockOf(done)} of ${clockOf(total)} done.`,
  };
}

const MS_PER_SECOND = 1000;
const twoDigits = (number: number): string => String(number).padStart(2, '0');

/** h:mm:ss, or m:ss below an hour. */
function clockOf(ms: number): string {
  const seconds = Math.floor(ms / MS_PER_SECOND);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours > 0 ? `${hours}:${twoDigits(minutes)}` : minutes}:${twoDigits(seconds % 60)}`;
}

/** A transcription's state as the logs call it, with the percentage if known. */
export function stateOf(transcription: Pick<Transcription, 'status' | 'error_type' | 'progress'>): string {
  const { status, error_type } = transcription;
  if (status === 'error') return error_type === CANCELLED_TYPE ? 'cancelled' : 'failed';
  const percent = progressOf(transcription)?.percent ?? null;
  return percent === null ? status : `${status} ${percent} %`;
}

const plural = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;

const NOTES: Readonly<Record<AudioNoteType, (count: number) => string>> = {
  parts_joined: (count) =>
    `The file holds ${count} recordings joined together. The transcript has them one after the other.`,
  parts_left_out: (count) =>
    `${plural(count, 'part')} of the recording couldn’t be read in full. What was said there may be missing from the transcript.`,
  tracks_mixed: (count) => `${count} audio tracks were mixed.`,
  tracks_left_out: (count) =>
    `${plural(count, 'audio track was', 'audio tracks were')} left out: in another language, a commentary, or unreadable.`,
  channels_not_mixed: () => 'Where channels cancel each other out, the louder one was used instead of their mix.',
};

const isKnown = (type: string): type is AudioNoteType => Object.hasOwn(NOTES, type);

/** Notes on the recording's audio, a sentence each; `isLeftOut`: words may be missing. */
export const notesOf = ({
  audio_notes: notes,
}: Pick<Transcription, 'audio_notes'>): { text: string; isLeftOut: boolean }[] =>
  (notes ?? []).flatMap(({ type, count }) =>
    isKnown(type) ? [{ text: NOTES[type](count), isLeftOut: type === 'parts_left_out' }] : [],
  );

/** Text of a failed transcription: the server's error, or {@link NO_DATA}. */
export function failureText({ transcription }: TranscriptionContext): string {
  if (transcription?.status !== 'error') return NO_DATA;
  return ['Transcription failed.', transcription.error_message].filter(Boolean).join(' ');
}

/** A transcription that failed on the server; null if it did not, or was cancelled. */
export const failedOf = ({ transcription }: TranscriptionContext): Transcription | null =>
  transcription?.status === 'error' && transcription.error_type !== CANCELLED_TYPE ? transcription : null;

/** Whether a completed transcription has text; if not, {@link NO_TEXT} is shown. */
export function hasText({ transcript }: TranscriptionContext): boolean {
  return transcript !== null && transcript.tokens.some((token) => token.text.trim() !== '');
}
