// Models the removal of one file or transcription: asked for, confirmed, carried out.
// Owned by the playground, which takes the row out of its list at once and puts it back if the server refuses.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { toFailure, type Failure } from '../failure.ts';
import { tellParent } from '../parent.ts';
import { removeItem, type RemovalKind } from './actors.ts';

export type RemovalItem = { kind: RemovalKind; id: string; /** Shown under the question. */ name: string };

type RemovalContext = {
  item: RemovalItem | null;
  /** The last one that was asked about, also when it is done: the focus goes to where it stood. */
  latest: RemovalItem | null;
};

type RemovalEvent = { type: 'removal.requested'; item: RemovalItem } | { type: 'removal.confirmed' } | { type: 'removal.dismissed' };

/** What the parent hears. */
export type RemovalTold =
  | { type: 'removal.started'; item: RemovalItem }
  | { type: 'removal.succeeded'; item: RemovalItem }
  | { type: 'removal.failed'; item: RemovalItem; failure: Failure };

const setupRemoval = setup({
  types: {} as { context: RemovalContext; events: RemovalEvent; tags: 'confirming' | 'busy' },
  actors: { removeItem },
  actions: {
    keepItem: assign((_, { item }: { item: RemovalItem }) => ({ item, latest: item })),
    forgetItem: assign({ item: null }),
    tell: tellParent<RemovalTold>(),
  },
});

const known = (item: RemovalItem | null): RemovalItem => {
  if (!item) throw new Error('A removal without an item.');
  return item;
};

export const removalMachine = setupRemoval.createMachine({
  id: 'removal',
  context: { item: null, latest: null },
  initial: 'idle',
  states: {
    idle: {
      on: { 'removal.requested': { target: 'confirming', actions: { type: 'keepItem', params: ({ event }) => event } } },
    },
    confirming: {
      tags: 'confirming',
      on: {
        'removal.confirmed': { target: 'removing', actions: { type: 'tell', params: ({ context }) => ({ type: 'removal.started', item: known(context.item) }) } },
        'removal.dismissed': { target: 'idle', actions: 'forgetItem' },
      },
    },
    removing: {
      tags: 'busy',
      invoke: {
        id: 'removeItem',
        src: 'removeItem',
        input: ({ context }) => known(context.item),
        onDone: {
          target: 'idle',
          actions: [{ type: 'tell', params: ({ context }) => ({ type: 'removal.succeeded', item: known(context.item) }) }, 'forgetItem'],
        },
        onError: {
          target: 'idle',
          actions: [
            { type: 'tell', params: ({ context, event }) => ({ type: 'removal.failed', item: known(context.item), failure: toFailure(event.error) }) },
            'forgetItem',
          ],
        },
      },
    },
  },
});
export type RemovalActor = ActorRefFrom<typeof removalMachine>;
