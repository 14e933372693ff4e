// Models the text selection in a long transcript: the rows with its two ends, which must stay in the document.
// Owned by the reader, for both transcripts; the browser has the selection itself.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { withEvent } from '../../../shared/withEvent.ts';

export type SelectionEvent =
  /** Indexes of the rows with the selection's ends, in any order. */
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
