/** The effects that keep a project's lists up to date with the server. */
import { fromPromise } from 'xstate';
import { listFiles, listTranscriptions, readFile, readTranscription } from '#contract/api/speech.ts';
import { CallError } from '#machines/shared/failure.ts';
import type { ItemRead, Listed, ListsRead, Loaded } from '#machines/playground/listSync/actors.ts';
import type { ListPage } from '#machines/shared/pagedList/actors.ts';
import type { Caller } from '../http/caller.ts';
import { pageAt } from '../http/pages.ts';

/** Reads page after page until there are as many rows as wanted, or no more. */
async function beginningOf<Item>(
  wanted: number,
  read: (cursor: string | null) => Promise<ListPage<Item>>,
): Promise<ListPage<Item>> {
  const beginning = await read(null);
  while (beginning.items.length < wanted && beginning.nextCursor !== null) {
    const { items, nextCursor } = await read(beginning.nextCursor);
    beginning.items.push(...items);
    beginning.nextCursor = nextCursor;
  }
  return beginning;
}

export const createReadLists = (call: Caller) =>
  fromPromise<ListsRead, Loaded>(async ({ input, signal }) => {
    const [files, transcriptions] = await Promise.all([
      beginningOf(input.files, async (cursor) => {
        const page = await call(listFiles, { query: pageAt(cursor), signal });
        return { items: [...page.files], nextCursor: page.next_page_cursor };
      }),
      beginningOf(input.transcriptions, async (cursor) => {
        const page = await call(listTranscriptions, { query: pageAt(cursor), signal });
        return { items: [...page.transcriptions], nextCursor: page.next_page_cursor };
      }),
    ]);
    return { files, transcriptions };
  });

export const createReadListed = (call: Caller) =>
  fromPromise<ItemRead | null, Listed>(async ({ input: { kind, id }, signal }) => {
    const args = { params: { id }, signal };
    try {
      return kind === 'file'
        ? { kind, item: await call(readFile, args) }
        : { kind, item: await call(readTranscription, args) };
    } catch (error) {
      if (error instanceof CallError && error.failure.status === 404) return null;
      throw error;
    }
  });
