import { promisePlaceholder } from '../../shared/placeholder.ts';

/** Puts a text onto the clipboard; rejects where the browser refuses. */
export const copyText = promisePlaceholder<void, { text: string }>('copyText');
