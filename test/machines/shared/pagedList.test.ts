import { describe, expect, it, vi } from 'vitest';
import { createActor, fromPromise, waitFor } from 'xstate';
import { LIST_ITSELF, rowAtPlaceOf } from '#machines/shared/pagedList/context.ts';
import { createPagedList } from '#machines/shared/pagedList/machine.ts';
import { later } from '../people.ts';

type Item = { id: string; name?: string };
const items = (...ids: string[]): Item[] => ids.map((id) => ({ id }));

type Page = { items: Item[]; nextCursor: string | null };

function list(pages: Record<string, Page | Promise<Page> | Error>) {
  const asked = vi.fn<(cursor: string | null) => void>();
  const machine = createPagedList<Item>('list').provide({
    actors: {
      fetchPage: fromPromise(async ({ input }: { input: { cursor: string | null } }) => {
        asked(input.cursor);
        const page = pages[input.cursor ?? ''];
        if (!page || page instanceof Error) throw page ?? new Error('No such page.');
        return page;
      }),
    },
  });
  const actor = createActor(machine).start();
  return { actor, asked, ids: () => actor.getSnapshot().context.items.map((item) => item.id) };
}

describe('a paged list', () => {
  it('LIB-01: reads on by cursor, to the end', async () => {
    const { actor, asked, ids } = list({
      '': { items: items('a', 'b'), nextCursor: 'n' },
      n: { items: items('b', 'c'), nextCursor: null },
    });
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    actor.send({ type: 'more.requested' });
    expect(actor.getSnapshot().hasTag('loadingMore')).toBe(true);
    await waitFor(actor, (snapshot) => snapshot.matches({ ready: 'idle' }));
    expect(ids()).toEqual(['a', 'b', 'c']);
    expect(asked.mock.calls).toEqual([[null], ['n']]);
    expect(actor.getSnapshot().can({ type: 'more.requested' })).toBe(false);
  });
  it('LIB-02: a failure keeps what is loaded, and retry goes on from there', async () => {
    const pages: Parameters<typeof list>[0] = { '': { items: items('a'), nextCursor: 'n' }, n: new Error('offline') };
    const { actor, asked, ids } = list(pages);
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    actor.send({ type: 'more.requested' });
    await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
    expect(ids()).toEqual(['a']);
    expect(actor.getSnapshot().context.failure?.message).toBe('offline');
    pages['n'] = { items: items('b'), nextCursor: null };
    actor.send({ type: 'retry.requested' });
    await waitFor(actor, (snapshot) => snapshot.matches({ ready: 'idle' }));
    expect(ids()).toEqual(['a', 'b']);
    expect(asked.mock.lastCall).toEqual(['n']);
  });
  it('LIB-02: a first page that is tried again names its first row, or the list where there is none', async () => {
    for (const [page, focusId] of [
      [items('a', 'b'), 'a'],
      [[], LIST_ITSELF],
    ] as const) {
      const pages: Parameters<typeof list>[0] = { '': new Error('offline') };
      const { actor } = list(pages);
      await waitFor(actor, (snapshot) => snapshot.hasTag('failed'));
      pages[''] = { items: [...page], nextCursor: null };
      actor.send({ type: 'retry.requested' });
      // What failed is known until then: the button stays.
      expect(actor.getSnapshot().context.failure?.message).toBe('offline');
      await waitFor(actor, (snapshot) => snapshot.matches('ready'));
      expect(actor.getSnapshot().context).toMatchObject({ focusId, failure: null });
    }
  });
  it('LIB-03: a removed item returns to its place when the server refuses', async () => {
    const { actor, ids } = list({ '': { items: items('a', 'b', 'c'), nextCursor: null } });
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    actor.send({ type: 'item.removed', id: 'b' });
    expect(ids()).toEqual(['a', 'c']);
    actor.send({ type: 'item.added', item: { id: 'x' } });
    actor.send({ type: 'item.restored', id: 'b' });
    expect(ids()).toEqual(['x', 'a', 'b', 'c']);
    actor.send({ type: 'item.restored', id: 'b' });
    expect(ids()).toEqual(['x', 'a', 'b', 'c']);
  });
  it('an item added or removed meanwhile is neither doubled nor brought back by a page', async () => {
    const { actor, ids } = list({ '': { items: items('a', 'b'), nextCursor: null } });
    actor.send({ type: 'item.added', item: { id: 'b', name: 'new' } });
    actor.send({ type: 'item.added', item: { id: 'c' } });
    actor.send({ type: 'item.removed', id: 'c' });
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    expect(ids()).toEqual(['b', 'a']);
    expect(actor.getSnapshot().context.items[0]?.name).toBe('new');
    actor.send({ type: 'item.updated', item: { id: 'a', name: 'seen' } });
    expect(actor.getSnapshot().context.items[1]?.name).toBe('seen');
  });
  it('LIB-01: a further page names its first row and how many came; rows that come or go otherwise end that', async () => {
    const { actor } = list({
      '': { items: items('a', 'b'), nextCursor: 'n' },
      n: { items: items('b', 'c', 'd'), nextCursor: null },
    });
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    expect(actor.getSnapshot().context).toMatchObject({ focusId: null, added: null });
    actor.send({ type: 'more.requested' });
    await waitFor(actor, (snapshot) => snapshot.matches({ ready: 'idle' }));
    expect(actor.getSnapshot().context).toMatchObject({ focusId: 'c', added: 2 });
    actor.send({ type: 'focus.placed' });
    expect(actor.getSnapshot().context).toMatchObject({ focusId: null, added: 2 });
    actor.send({ type: 'item.removed', id: 'c' });
    expect(actor.getSnapshot().context).toMatchObject({ focusId: null, added: null });
    actor.send({ type: 'item.restored', id: 'c' });
    expect(actor.getSnapshot().context.focusId).toBe('c');
  });
  it('LIB-03: where a row was stands the next one, at the end the one before, in an empty list none', async () => {
    const { actor } = list({ '': { items: items('a', 'b', 'c'), nextCursor: null } });
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    const stands = (id: string) => rowAtPlaceOf(actor.getSnapshot().context, id);
    expect(stands('b')).toBe('b');
    actor.send({ type: 'item.removed', id: 'b' });
    expect(stands('b')).toBe('c');
    actor.send({ type: 'item.removed', id: 'c' });
    expect(stands('c')).toBe('a');
    actor.send({ type: 'item.removed', id: 'a' });
    expect(stands('a')).toBeNull();
  });
  it('LIB-03: a row that is refused to go while further ones load returns to its place', async () => {
    const further = later<Page>();
    const { actor, ids } = list({ '': { items: items('a', 'b'), nextCursor: 'n' }, n: further.promise });
    await waitFor(actor, (snapshot) => snapshot.matches('ready'));
    actor.send({ type: 'more.requested' });
    actor.send({ type: 'item.removed', id: 'b' });
    further.resolve({ items: items('b', 'c'), nextCursor: null });
    await waitFor(actor, (snapshot) => snapshot.matches({ ready: 'idle' }));
    expect(ids()).toEqual(['a', 'c']);
    actor.send({ type: 'item.restored', id: 'b' });
    expect(ids()).toEqual(['a', 'b', 'c']);
  });
});
