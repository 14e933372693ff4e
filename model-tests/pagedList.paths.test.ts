import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { createPagedList } from '#machines/shared/pagedList/machine.ts';
import { describeWalk } from './walk.ts';

const page = (ids: string[], nextCursor: string | null) => ({ items: ids.map((id) => ({ id })), nextCursor });

describe('LIB-01 LIB-02: every way through a paged list', () => {
  describeWalk(createPagedList<{ id: string }>('list'), {
    tags: { loading: ['loading'], empty: ['ready.empty'], loadingMore: ['ready.loadingMore'], failed: ['failed'] },
    ignored: {
      'There is no further page, or it is being read': 'more.requested in failed, loading, ready.{empty, loadingMore}',
      'The list is read to its end': 'more.requested at times in ready.idle',
      'Nothing has failed': 'retry.requested in loading, ready',
    },
    cases: {
      'done firstPage': [page([], null), page(['a'], null), page(['a'], 'next')],
      'done nextPage': [page(['b'], null)],
      'item.added': [{ item: { id: 'x' } }],
      'item.updated': [{ item: { id: 'a' } }],
      'item.removed': [{ id: 'a' }],
      'item.arrived': [{ item: { id: 'x' } }],
      'item.gone': [{ id: 'a' }],
      'beginning.read': [{ page: page([], null) }, { page: page(['a'], 'next') }, { page: page(['x'], 'next') }],
      'item.restored': [{ id: 'a' }],
    },
    distinguish: ({ context }) => [
      context.items.map((item: { id: string }) => item.id).toSorted(),
      context.nextCursor,
      context.focusId,
    ],
    limit: 20_000,
    states: {
      'ready.empty': ({ context }) => expect(context.items).toEqual([]),
      'ready.idle': (snapshot) =>
        expect(snapshot.can({ type: 'more.requested' })).toBe(snapshot.context.nextCursor !== null),
      failed: ({ context }) => expect(context.failure).not.toBeNull(),
    },
  });

  it('LIB-01: takes the beginning that is read while the first page is under way, which may be older', () => {
    const actor = createActor(createPagedList<{ id: string }>('list'), { input: undefined }).start();
    actor.send({ type: 'beginning.read', page: page(['new', 'a'], null) });
    expect(actor.getSnapshot().hasTag('loading')).toBe(false);
    expect(actor.getSnapshot().context.items).toEqual([{ id: 'new' }, { id: 'a' }]);
    actor.stop();
  });
});
