import type { StoredFile } from '#contract/files.ts';
import type { Transcription } from '#contract/transcriptions.ts';
import type { ListPage } from '../../shared/pagedList/actors.ts';
import { promisePlaceholder } from '../../shared/placeholder.ts';

/** How many rows of each list are there. */
export type Loaded = { files: number; transcriptions: number };
/** The beginnings of both lists, each at least as long as it is loaded, or to its end. */
export type ListsRead = { files: ListPage<StoredFile>; transcriptions: ListPage<Transcription> };
/** GET /v1/files and /v1/transcriptions. */
export const readLists = promisePlaceholder<ListsRead, Loaded>('readLists');

export type Listed = { kind: 'file' | 'transcription'; id: string };
export type ItemRead = { kind: 'file'; item: StoredFile } | { kind: 'transcription'; item: Transcription };
/** GET /v1/files/{id} or /v1/transcriptions/{id}; null where there is none any more. */
export const readListed = promisePlaceholder<ItemRead | null, Listed>('readListed');
