// What was read for the lists of one transcription.
import type { Transcription } from '#contract/transcriptions.ts';
import type { ItemRead, ListsRead } from './actors.ts';

/** Undefined where that was not among it. */
export function readOf(id: string | null, read: ItemRead | ListsRead): Transcription | undefined {
  if (!('kind' in read)) return read.transcriptions.items.find((item) => item.id === id);
  return read.kind === 'transcription' && read.item.id === id ? read.item : undefined;
}
