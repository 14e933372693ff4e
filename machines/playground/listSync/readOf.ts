import type { Transcription } from '#contract/transcriptions.ts';
import type { ItemRead, ListsRead } from './actors.ts';

/** The transcription `id` in what was read for the lists; undefined if it is not there. */
export function readOf(id: string | null, read: ItemRead | ListsRead): Transcription | undefined {
  if (!('kind' in read)) return read.transcriptions.items.find((item) => item.id === id);
  return read.kind === 'transcription' && read.item.id === id ? read.item : undefined;
}
