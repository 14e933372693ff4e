// Models a list that is read from the server page by page, with edits shown before the server confirms them.
// Owned by the chart that shows the list; createPagedList makes one machine for each kind of item.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { failureOf } from '../failure.ts';
import { promisePlaceholder } from '../placeholder.ts';
import type { ListPage, PageRequest } from './actors.ts';
import { withEvent, withOutput } from '../withEvent.ts';
import { UNREAD } from '../unread.ts';
import {
  withAdded,
  withArrived,
  withFirstPage,
  withFurtherPage,
  withNewBeginning,
  withoutGone,
  withRemoved,
  withRestored,
  withUpdated,
  type PagedListContext,
  type PagedListInput,
} from './context.ts';
import { isConnected, type Row } from './rows.ts';

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

/**
 * Makes a list of `Item`s, paged by cursor. The actor to provide is `fetchPage`. A failure keeps what is loaded, and
 * `retry.requested` goes on from there.
 * Tags: `loading` (nothing read yet), `loadingMore`, `failed`, `empty` (read to the end, nothing there).
 */
export function createPagedList<Item extends Row>(id: string) {
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
      isConnected: ({ context }, { page }: { page: ListPage<Item> }) => isConnected(context.items, page),
    },
    actions: {
      setPage: assign(({ context }, { page, wasAsked }: { page: ListPage<Item>; wasAsked: boolean }) =>
        withFirstPage(context, page, wasAsked),
      ),
      setFurtherPage: assign(({ context }, page: ListPage<Item>) => withFurtherPage(context, page)),
      setBeginning: assign(({ context }, { page }: { page: ListPage<Item> }) => withNewBeginning(context, page)),
      setFailure: assign(failureOf),
      clearFailure: assign({ failure: null }),
      clearFocus: assign({ focusId: null }),
      add: assign(({ context }, { item }: { item: Item }) => withAdded(context, item)),
      addOrUpdate: assign(({ context }, { item }: { item: Item }) => withArrived(context, item)),
      update: assign(({ context }, { item }: { item: Item }) => withUpdated(context, item)),
      dropGone: assign(({ context }, params: { id: string }) => withoutGone(context, params.id)),
      remove: assign(({ context }, params: { id: string }) => withRemoved(context, params.id)),
      restore: assign(({ context }, params: { id: string }) => withRestored(context, params.id)),
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
      'item.arrived': { actions: withEvent('addOrUpdate') },
      'item.gone': { actions: withEvent('dropGone') },
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
        on: { 'beginning.read': { target: 'ready', actions: withEvent('setBeginning') } },
      },
      ready: {
        initial: 'idle',
        on: {
          'beginning.read': [
            { guard: withEvent('isConnected'), actions: withEvent('setBeginning') },
            // There is a gap between this page and the loaded rows, so those are dropped, and so is a page under way.
            { target: '.idle', actions: withEvent('setBeginning') },
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
          'beginning.read': { target: 'ready', actions: withEvent('setBeginning') },
          'retry.requested': [
            { guard: 'hasMore', target: 'ready.loadingMore', actions: 'clearFailure' },
            { target: 'loading' },
          ],
        },
      },
    },
  });
}

type PagedList<Item extends Row> = ReturnType<typeof createPagedList<Item>>;
export type PagedListActor<Item extends Row> = ActorRefFrom<PagedList<Item>>;
