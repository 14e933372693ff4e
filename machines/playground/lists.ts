import type { StoredFile } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import { createPagedList } from '../shared/pagedList/machine.ts';
import type { RemovalItem } from './removal/machine.ts';

export const filesMachine = createPagedList<StoredFile>('files');
export const transcriptionsMachine = createPagedList<Transcription>('transcriptions');

/** Name of the list that an item belongs to. */
export function listOf(item: Pick<RemovalItem, 'kind'>): string {
  return item.kind === 'file' ? 'files' : 'transcriptions';
}
