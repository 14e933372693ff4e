import { describe, expect } from 'vitest';
import { createPagedList } from '#machines/shared/pagedList/machine.ts';
import { describeWalk, doneBy } from './walk.ts';

const page = (ids: string[], nextCursor: string | null) => ({ items: ids.map((id) => ({ id })), nextCursor });

describe('LIB-01 LIB-02: every way through a paged list', () => {
  describeWalk(createPagedList<{ id: string }>('list'), {
    cases: {
      'xstate.done.actor.firstPage': [doneBy('firstPage', page([], null)), doneBy('firstPage', page(['a'], null)), doneBy('firstPage', page(['a'], 'next'))],
      'xstate.done.actor.nextPage': [doneBy('nextPage', page(['b'], null))],
      'item.added': [{ type: 'item.added', item: { id: 'x' } }],
      'item.updated': [{ type: 'item.updated', item: { id: 'a' } }],
      'item.removed': [{ type: 'item.removed', id: 'a' }],
      'item.arrived': [{ type: 'item.arrived', item: { id: 'x' } }],
      'item.gone': [{ type: 'item.gone', id: 'a' }],
      'beginning.read': [{ type: 'beginning.read', page: page([], null) }, { type: 'beginning.read', page: page(['a'], 'next') }, { type: 'beginning.read', page: page(['x'], 'next') }],
      'item.restored': [{ type: 'item.restored', id: 'a' }],
    },
    distinguish: ({ context }) => [context.items.map((item: { id: string }) => item.id).toSorted(), context.nextCursor, context.focusId],
    limit: 20_000,
    states: {
      loading: (snapshot) => { expect(snapshot.hasTag('loading')).toBe(true); },
      'ready.empty': (snapshot) => {
        expect(snapshot.hasTag('empty')).toBe(true);
        expect(snapshot.context.items).toEqual([]);
      },
      'ready.idle': (snapshot) => { expect(snapshot.can({ type: 'more.requested' })).toBe(snapshot.context.nextCursor !== null); },
      failed: (snapshot) => {
        expect(snapshot.hasTag('failed')).toBe(true);
        expect(snapshot.context.failure).not.toBeNull();
      },
    },
  });
});
