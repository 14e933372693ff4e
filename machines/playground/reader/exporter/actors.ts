import { promisePlaceholder } from '../../../shared/placeholder.ts';

export type TextFile = { filename: string; mediaType: string; text: string };

/** Hands a text to the browser as a download; rejects where that is not possible. */
export const saveTextFile = promisePlaceholder<void, TextFile>('saveTextFile');
