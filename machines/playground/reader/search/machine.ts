// Models the search in a transcript: the query, and the current match.
// Owned by the reader, for both transcripts. Events bring the number of matches, which the view knows.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { withEvent } from '../../../shared/withEvent.ts';

type SearchContext = {
  query: string;
  /** Index of the current match; beyond the last it wraps around. */
  current: number;
};

export const searchMachine = setup({
  types: {} as {
    context: SearchContext;
    events:
      | { type: 'search.requested' }
      | { type: 'search.dismissed' }
      | { type: 'query.changed'; query: string }
      | { type: 'next.requested'; count: number }
      | { type: 'previous.requested'; count: number };
    tags: 'open';
  },
  guards: { hasMatches: (_, { count }: { count: number }) => count > 0 },
  actions: {
    setQuery: assign((_, { query }: { query: string }) => ({ query, current: 0 })),
    step: assign(({ context }, { count, by }: { count: number; by: number }) => ({
      current: ((context.current % count) + by + count) % count,
    })),
    forget: assign({ query: '', current: 0 }),
  },
}).createMachine({
  id: 'search',
  context: { query: '', current: 0 },
  initial: 'closed',
  states: {
    closed: { on: { 'search.requested': 'open' } },
    open: {
      tags: 'open',
      on: {
        'query.changed': { actions: withEvent('setQuery') },
        'next.requested': {
          guard: withEvent('hasMatches'),
          actions: { type: 'step', params: ({ event }) => ({ count: event.count, by: 1 }) },
        },
        'previous.requested': {
          guard: withEvent('hasMatches'),
          actions: { type: 'step', params: ({ event }) => ({ count: event.count, by: -1 }) },
        },
        'search.dismissed': { target: 'closed', actions: 'forget' },
      },
    },
  },
});

export type SearchActor = ActorRefFrom<typeof searchMachine>;
