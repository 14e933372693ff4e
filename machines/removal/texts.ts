import type { RemovalKind } from './actors.ts';

/** The confirm dialog (spec §8). */
export const REMOVAL_QUESTION = 'Are you sure you want to delete this item?';

/** The toasts (spec §8). */
export const REMOVAL_TOASTS: Record<RemovalKind, { success: string; error: string }> = {
  transcription: { success: 'Success! Transcription was deleted.', error: 'Error! Failed to delete transcription.' },
  file: { success: 'Success! File was deleted.', error: 'Error! Failed to delete file.' },
};
