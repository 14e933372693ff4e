import { fromPromise } from 'xstate';
import type { TextFile } from '#machines/playground/reader/exporter/actors.ts';

/** Life of a download's address, which browsers read only after the click. */
const KEPT_MS = 60_000;

/** Saves a file like a click on a download link. */
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
