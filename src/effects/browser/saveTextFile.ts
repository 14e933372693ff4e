import { fromPromise } from 'xstate';
import type { TextFile } from '#machines/playground/reader/exporter/actors.ts';

/** Browsers read the address of a download after the click; it must live a little longer than that. */
const KEPT_MS = 60_000;

/** Saves a text the way a click on a download link does. */
export const saveTextFile = fromPromise<void, TextFile>(({ input: { filename, mediaType, text } }) => {
  const address = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
  return Promise.resolve();
});
