// Models what is selected of a long text: the rows where the selection begins and ends, which have to stay in the page.
// Owned by the reader, for both transcripts of the playground; the browser keeps the selection itself.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { withEvent } from '../../../shared/withEvent.ts';

export type SelectionEvent =
  /** Indexes of the rows with the ends of the selection, in any order. */
  { type: 'selection.made'; rows: readonly number[] } | { type: 'selection.cleared' };

const NOWHERE: readonly number[] = [];

export const selectionMachine = setup({
  types: {} as { context: { rows: readonly number[] }; events: SelectionEvent; tags: 'selected' },
  actions: {
    setRows: assign((_, { rows }: { rows: readonly number[] }) => ({ rows })),
    clearRows: assign({ rows: NOWHERE }),
  },
}).createMachine({
  id: 'selection',
  context: { rows: NOWHERE },
  initial: 'none',
  states: {
    none: { on: { 'selection.made': { target: 'some', actions: withEvent('setRows') } } },
    some: {
      tags: 'selected',
      on: {
        'selection.made': { actions: withEvent('setRows') },
        'selection.cleared': { target: 'none', actions: 'clearRows' },
      },
    },
  },
});

export type SelectionActor = ActorRefFrom<typeof selectionMachine>;
