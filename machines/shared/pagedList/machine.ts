// Models a list that is read from the server page by page, with edits shown before the server confirms them.
// Owned by the chart that shows the list; createPagedList makes one machine for each kind of item.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { type Failure, failureOf } from '../failure.ts';
import { promisePlaceholder } from '../placeholder.ts';
import type { ListPage, PageRequest } from './actors.ts';
import { withEvent, withOutput } from '../withEvent.ts';
import { UNREAD } from '../unread.ts';

/** A removed item and the id of its predecessor then, so that it can return to its place. */
type RemovedItem<Item> = { item: Item; previousId: string | null };

/** `of` is the list's owner, such as an organization's UUID; `only` filters the list. */
type PagedListInput = { of: string; only?: string } | undefined;

export type PagedListContext<Item> = {
  scope: PagedListInput;
  items: readonly Item[];
  /** Where the next page starts; null before the first page and after the last. */
  nextCursor: string | null;
  /** Kept even after the server removed them, because a page under way may still contain them. */
  removed: readonly RemovedItem<Item>[];
  /** Kept during a retry of the first page, while there is nothing else to show. */
  failure: Failure | null;
  /**
   * The row to focus: the first of a page that the person asked for, or a restored one; {@link LIST_ITSELF} for the
   * list. Null once the view has focused it.
   */
  focusId: string | null;
  /** How many rows the last further page added; null before, and after any other change of rows. */
  added: number | null;
};

type PagedListEvent<Item> =
  | { type: 'more.requested' }
  | { type: 'retry.requested' }
  | { type: 'item.added'; item: Item }
  /** Created elsewhere: becomes the first row, or updates its row. */
  | { type: 'item.arrived'; item: Item }
  /** Deleted elsewhere. */
  | { type: 'item.gone'; id: string }
  /** The first page, as the server has it now. */
  | { type: 'beginning.read'; page: ListPage<Item> }
  | { type: 'item.updated'; item: Item }
  | { type: 'item.removed'; id: string }
  | { type: 'item.restored'; id: string }
  | { type: 'focus.placed' };

/** The `focusId` of the list itself, if it has no row to focus. */
export const LIST_ITSELF = '';

/**
 * Makes a list of `Item`s, paged by cursor. The actor to provide is `fetchPage`. A failure keeps what is loaded, and
 * `retry.requested` goes on from there.
 * Tags: `loading` (nothing read yet), `loadingMore`, `failed`, `empty` (read to the end, nothing there).
 */
export function createPagedList<Item extends { id: string }>(id: string) {
  return setup({
    types: {} as {
      context: PagedListContext<Item>;
      input: PagedListInput;
      events: PagedListEvent<Item>;
      tags: 'loading' | 'loadingMore' | 'failed' | 'empty';
    },
    actors: { fetchPage: promisePlaceholder<ListPage<Item>, PageRequest>(`fetchPage of ${id}`) },
    guards: {
      hasMore: ({ context }) => context.nextCursor !== null,
      isEmpty: ({ context }) => context.items.length === 0 && context.nextCursor === null,
      hasItems: ({ context }) => context.items.length > 0,
      isConnected: ({ context }, { page }: { page: ListPage<Item> }) => isConnected(context, page),
    },
    actions: {
      setPage: assign(({ context }, { page, wasAsked }: { page: ListPage<Item>; wasAsked: boolean }) => {
        const items = merge(context, page.items);
        return {
          items,
          nextCursor: page.nextCursor,
          failure: null,
          focusId: wasAsked ? (items[0]?.id ?? LIST_ITSELF) : null,
        };
      }),
      setFurtherPage: assign(({ context }, page: ListPage<Item>) => {
        const items = merge(context, page.items);
        const first = items[context.items.length];
        return {
          items,
          nextCursor: page.nextCursor,
          failure: null,
          focusId: first?.id ?? null,
          added: items.length - context.items.length,
        };
      }),
      setFailure: assign(failureOf),
      clearFailure: assign({ failure: null }),
      clearFocus: assign({ focusId: null }),
      add: assign(({ context }, { item }: { item: Item }) => ({
        added: null,
        items: [item, ...context.items.filter((other) => other.id !== item.id)],
      })),
      update: assign(({ context }, { item }: { item: Item }) => ({
        items: context.items.map((other) => (other.id === item.id ? item : other)),
      })),
      arrive: assign(({ context }, { item }: { item: Item }) => arrived(context, item)),
      lose: assign(({ context }, { id: gone }: { id: string }) => ({
        items: context.items.filter((other) => other.id !== gone),
      })),
      renew: assign(({ context }, { page }: { page: ListPage<Item> }) => renewed(context, page)),
      remove: assign(({ context }, params: { id: string }) => take(context, params.id)),
      restore: assign(({ context }, params: { id: string }) => putBack(context, params.id)),
    },
  }).createMachine({
    id,
    context: ({ input }) => ({
      scope: input,
      items: [],
      nextCursor: null,
      removed: [],
      failure: null,
      focusId: null,
      added: null,
    }),
    initial: 'loading',
    on: {
      'item.added': { actions: withEvent('add') },
      'item.arrived': { actions: withEvent('arrive') },
      'item.gone': { actions: withEvent('lose') },
      'item.updated': { actions: withEvent('update') },
      'item.removed': { actions: withEvent('remove') },
      'item.restored': { actions: withEvent('restore') },
      'focus.placed': { actions: 'clearFocus' },
    },
    states: {
      loading: {
        tags: 'loading',
        invoke: {
          id: 'firstPage',
          src: 'fetchPage',
          input: ({ context }) => ({ ...context.scope, cursor: null }),
          onDone: {
            target: 'ready',
            actions: {
              type: 'setPage',
              params: ({ context, event }) => ({ page: event.output, wasAsked: context.failure !== null }),
            },
          },
          onError: { target: 'failed', actions: withEvent('setFailure') },
        },
        // This page is newer than the one under way, which may miss items.
        on: { 'beginning.read': { target: 'ready', actions: withEvent('renew') } },
      },
      ready: {
        initial: 'idle',
        on: {
          'beginning.read': [
            { guard: withEvent('isConnected'), actions: withEvent('renew') },
            // There is a gap between this page and the loaded rows, so those are dropped, and so is a page under way.
            { target: '.idle', actions: withEvent('renew') },
          ],
        },
        states: {
          idle: {
            always: { guard: 'isEmpty', target: 'empty' },
            on: { 'more.requested': { guard: 'hasMore', target: 'loadingMore' } },
          },
          empty: { tags: 'empty', always: { guard: 'hasItems', target: 'idle' } },
          loadingMore: {
            tags: 'loadingMore',
            invoke: {
              id: 'nextPage',
              src: 'fetchPage',
              input: ({ context }) => ({ ...context.scope, cursor: context.nextCursor }),
              onDone: { target: 'idle', actions: withOutput('setFurtherPage') },
              onError: { target: `#${id}.failed`, actions: withEvent('setFailure') },
            },
          },
        },
      },
      failed: {
        tags: 'failed',
        meta: UNREAD,
        on: {
          'beginning.read': { target: 'ready', actions: withEvent('renew') },
          'retry.requested': [
            { guard: 'hasMore', target: 'ready.loadingMore', actions: 'clearFailure' },
            { target: 'loading' },
          ],
        },
      },
    },
  });
}

function merge<Item extends { id: string }>({ items, removed }: PagedListContext<Item>, page: readonly Item[]): Item[] {
  const known = new Set([...items.map((item) => item.id), ...removed.map(({ item }) => item.id)]);
  return [...items, ...page.filter((item) => !known.has(item.id))];
}

/** Puts the item at the top, or updates its row; ignores an item removed here. */
function arrived<Item extends { id: string }>(
  { items, removed }: PagedListContext<Item>,
  item: Item,
): Partial<PagedListContext<Item>> {
  if (removed.some(({ item: other }) => other.id === item.id)) return {};
  if (items.some((other) => other.id === item.id))
    return { items: items.map((other) => (other.id === item.id ? item : other)) };
  return { items: [item, ...items], added: null };
}

/** Index of the last row that is also in `page`; -1 if there is none. */
const lastShared = <Item extends { id: string }>(items: readonly Item[], page: ListPage<Item>): number => {
  const read = new Set(page.items.map((item) => item.id));
  return items.findLastIndex((item) => read.has(item.id));
};

/** Whether the loaded rows follow `page` without a gap. */
const isConnected = <Item extends { id: string }>({ items }: PagedListContext<Item>, page: ListPage<Item>): boolean =>
  items.length === 0 || page.nextCursor === null || lastShared(items, page) >= 0;

/** Replaces the beginning with `page`. Rows behind it stay if they follow without a gap. */
function renewed<Item extends { id: string }>(
  context: PagedListContext<Item>,
  page: ListPage<Item>,
): Partial<PagedListContext<Item>> {
  const read = new Set(page.items.map((item) => item.id));
  const behind =
    page.nextCursor === null
      ? []
      : context.items.slice(lastShared(context.items, page) + 1).filter((item) => !read.has(item.id));
  const isKept = isConnected(context, page) && page.nextCursor !== null && context.items.length > 0;
  const items = merge({ ...context, items: [] }, page.items);
  return isKept
    ? { items: [...items, ...behind], failure: null }
    : { items, nextCursor: page.nextCursor, failure: null };
}

function take<Item extends { id: string }>(
  context: PagedListContext<Item>,
  id: string,
): Partial<PagedListContext<Item>> {
  const index = context.items.findIndex((item) => item.id === id);
  const item = context.items[index];
  if (!item) return {};
  const previousId = context.items[index - 1]?.id ?? null;
  return {
    items: context.items.filter((other) => other !== item),
    removed: [...context.removed, { item, previousId }],
    focusId: null,
    added: null,
  };
}

function putBack<Item extends { id: string }>(
  context: PagedListContext<Item>,
  id: string,
): Partial<PagedListContext<Item>> {
  const entry = context.removed.find(({ item }) => item.id === id);
  if (!entry) return {};
  const place = entry.previousId === null ? 0 : context.items.findIndex((item) => item.id === entry.previousId) + 1;
  const items = [...context.items.slice(0, place), entry.item, ...context.items.slice(place)];
  return { items, removed: context.removed.filter((other) => other !== entry), focusId: id, added: null };
}

/** The row at the place of `id`: itself, else the next, else the previous one; null in an empty list. */
export function rowAtPlaceOf<Item extends { id: string }>(
  { items, removed }: PagedListContext<Item>,
  id: string,
): string | null {
  if (items.some((item) => item.id === id)) return id;
  const entry = removed.find(({ item }) => item.id === id);
  const previous = items.findIndex((item) => item.id === entry?.previousId);
  return (items[previous + 1] ?? items[previous])?.id ?? null;
}

type PagedList<Item extends { id: string }> = ReturnType<typeof createPagedList<Item>>;
export type PagedListActor<Item extends { id: string }> = ActorRefFrom<PagedList<Item>>;
