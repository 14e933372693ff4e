import { describe, expect, it } from 'vitest';
import { createActor } from 'xstate';
import { searchMachine } from '#machines/playground/reader/search/machine.ts';
import { describeWalk } from './walk.ts';

describe('searching a transcript', () => {
  describeWalk(searchMachine, {
    tags: { open: ['open'] },
    ignored: {
      'It is open already': 'search.requested in open',
      'It is closed': 'query.changed, next.requested, previous.requested, search.dismissed in closed',
    },
    cases: {
      'query.changed': [{ query: 'word' }],
      'next.requested': [{ count: 3 }],
      'previous.requested': [{ count: 3 }],
    },
    distinguish: () => null,
  });

  it('goes round, forgets the place with the query, and both when it closes', () => {
    const search = createActor(searchMachine).start();
    const current = () => search.getSnapshot().context.current;
    search.send({ type: 'search.requested' });
    search.send({ type: 'query.changed', query: 'word' });
    search.send({ type: 'previous.requested', count: 3 });
    expect(current()).toBe(2);
    search.send({ type: 'next.requested', count: 3 });
    expect(current()).toBe(0);
    expect(search.getSnapshot().can({ type: 'next.requested', count: 0 })).toBe(false);
    search.send({ type: 'next.requested', count: 3 });
    // Fewer places than before: it goes on from where that is now.
    search.send({ type: 'next.requested', count: 1 });
    expect(current()).toBe(0);
    search.send({ type: 'search.dismissed' });
    expect(search.getSnapshot().context).toEqual({ query: '', current: 0 });
  });
});
