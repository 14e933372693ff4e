import { fromPromise } from 'xstate';
import type { TextFile } from '#machines/playground/reader/exporter/actors.ts';

/** Browsers read the address of a download after the click; it must live a little longer than that. */
const KEPT_MS = 60_000;

/** Saves a file the way a click on a download link does. */
export function saveFile(filename: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}

export const saveTextFile = fromPromise<void, TextFile>(({ input: { filename, mediaType, text } }) => {
  saveFile(filename, new Blob([text], { type: mediaType }));
  return Promise.resolve();
});
