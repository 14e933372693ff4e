import { fromPromise } from 'xstate';

/** Copies a text. Rejects if the browser refuses, or has no clipboard (insecure pages). */
export const copyText = fromPromise<void, { text: string }>(({ input }) => navigator.clipboard.writeText(input.text));
