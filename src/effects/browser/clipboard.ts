import { fromPromise } from 'xstate';

/** Puts a text onto the clipboard; rejects where the browser refuses or has none (insecure pages). */
export const copyText = fromPromise<void, { text: string }>(({ input }) => navigator.clipboard.writeText(input.text));
