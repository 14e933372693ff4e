import type { TranscriptionContext } from './machine.ts';

/** Where a transcript can't be read (ASY-10). */
export const NO_DATA = 'No transcription data available. Try again later.';
/** Where a transcript holds no text (ASY-10). */
export const NO_TEXT = '[No transcription text available.]';

/** 'Transcription {filename} is {status}.'; null before the first answer. */
export function statusText({ transcription }: TranscriptionContext): string | null {
  return transcription && `Transcription ${transcription.filename} is ${transcription.status}.`;
}

/** What a failed transcription says: the server's error, or that there is nothing to read. */
export function failureText({ transcription }: TranscriptionContext): string {
  if (transcription?.status !== 'error') return NO_DATA;
  return ['Transcription failed.', transcription.error_message].filter(Boolean).join(' ');
}

/** Whether a completed transcription has anything to show; if not, {@link NO_TEXT} stands there. */
export function hasText({ transcript }: TranscriptionContext): boolean {
  return transcript !== null && transcript.tokens.some((token) => token.text.trim() !== '');
}
