// Models the search among a model's languages.
// Owned by the playground. The query names its model, because a search does not carry over to another model.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { withEvent } from '../../shared/withEvent.ts';

type Query = { query: string; modelId: string };

export const languageSearchMachine = setup({
  types: {} as {
    context: Query;
    events: ({ type: 'query.changed' } & Query) | { type: 'query.cleared' };
    tags: 'searching';
  },
  guards: { isBlank: (_, { query }: Query) => query === '' },
  actions: {
    setQuery: assign((_, { query, modelId }: Query) => ({ query, modelId })),
    clearQuery: assign({ query: '' }),
  },
}).createMachine({
  id: 'languageSearch',
  context: { query: '', modelId: '' },
  initial: 'blank',
  on: {
    'query.changed': [
      { guard: withEvent('isBlank'), target: '.blank' },
      { target: '.searching', actions: withEvent('setQuery') },
    ],
  },
  states: {
    blank: { entry: 'clearQuery' },
    searching: { tags: 'searching', on: { 'query.cleared': 'blank' } },
  },
});

export type LanguageSearchActor = ActorRefFrom<typeof languageSearchMachine>;
