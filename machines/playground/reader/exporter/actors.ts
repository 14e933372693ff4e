import { promisePlaceholder } from '../../../shared/placeholder.ts';

export type TextFile = { filename: string; mediaType: string; text: string };

/** Gives a text to the browser as a download; rejects if that is not possible. */
export const saveTextFile = promisePlaceholder<void, TextFile>('saveTextFile');
