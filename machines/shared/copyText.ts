import { promisePlaceholder } from './placeholder.ts';

/** Copies a text to the clipboard; rejects if the browser refuses. */
export const copyText = promisePlaceholder<void, { text: string }>('copyText');
