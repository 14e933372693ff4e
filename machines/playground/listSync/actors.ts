import type { StoredFile } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { ListPage } from '../../shared/pagedList/actors.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** Loaded rows of each list. */
export type Loaded = { files: number; transcriptions: number };
/** The beginning of both lists: at least as many rows as are loaded, or all. */
export type ListsRead = { files: ListPage<StoredFile>; transcriptions: ListPage<Transcription> };
/** GET /v1/files and /v1/transcriptions. */
export const readLists = promisePlaceholder<ListsRead, Loaded>('readLists');

export type Listed = { kind: 'file' | 'transcription'; id: string };
export type ItemRead = { kind: 'file'; item: StoredFile } | { kind: 'transcription'; item: Transcription };
/** GET /v1/files/{id} or /v1/transcriptions/{id}; null if it was deleted. */
export const readListed = promisePlaceholder<ItemRead | null, Listed>('readListed');
