// Models the removal of one file or transcription: asked for, confirmed, carried out. One that still runs is cancelled first.
// Owned by the library, which takes the row out of its list at once and puts it back if the server refuses.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { isGone, toFailure, type Failure } from '../../shared/failure.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { cancelItem, removeItem, type RemovalKind } from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';

export type RemovalItem = {
  kind: RemovalKind;
  id: string;
  /** Shown under the question. */
  name: string;
  /** A transcription that has not ended, as far as the list knows: it is cancelled, then deleted. */
  isRunning?: boolean;
};

type RemovalContext = {
  item: RemovalItem | null;
  /** The last one that was asked about, also when it is done: the focus goes to where it stood. */
  latest: RemovalItem | null;
};

type RemovalEvent =
  | { type: 'removal.requested'; item: RemovalItem }
  | { type: 'removal.confirmed' }
  | { type: 'removal.dismissed' };

/** What the parent hears. */
export type RemovalNotice =
  | { type: 'removal.started'; item: RemovalItem }
  | { type: 'removal.succeeded'; item: RemovalItem }
  /** It runs, which nobody knew: it stays until the person has answered once more. */
  | { type: 'removal.halted'; item: RemovalItem }
  | { type: 'removal.failed'; item: RemovalItem; failure: Failure };

const CONFLICT = 409;
const statusOf = (error: unknown): number | undefined => toFailure(error).status;

const setupRemoval = setup({
  types: {} as { context: RemovalContext; events: RemovalEvent; tags: 'confirming' | 'busy' },
  actors: { removeItem, cancelItem },
  guards: {
    isRunning: ({ context }) => context.item?.isRunning === true,
    /** Somebody else has deleted it: what was wanted is so. */
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    /** It ended by itself just before it could be cancelled. */
    hasEnded: (_, { error }: { error: unknown }) => statusOf(error) === CONFLICT,
    /** It began to run after the list had been read. */
    hasBegun: ({ context }, { error }: { error: unknown }) =>
      statusOf(error) === CONFLICT && context.item?.kind === 'transcription' && context.item.isRunning !== true,
  },
  actions: {
    setItem: assign((_, { item }: { item: RemovalItem }) => ({ item, latest: item })),
    noteRunning: assign(({ context }) => ({ item: context.item && { ...context.item, isRunning: true } })),
    clearItem: assign({ item: null }),
    notifyParent: notifyParent<RemovalNotice>(),
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
      on: { 'removal.requested': { target: 'confirming', actions: withEvent('setItem') } },
    },
    confirming: {
      tags: 'confirming',
      on: {
        'removal.confirmed': [
          {
            guard: 'isRunning',
            target: 'cancelling',
            actions: {
              type: 'notifyParent',
              params: ({ context }) => ({ type: 'removal.started', item: known(context.item) }),
            },
          },
          {
            target: 'removing',
            actions: {
              type: 'notifyParent',
              params: ({ context }) => ({ type: 'removal.started', item: known(context.item) }),
            },
          },
        ],
        'removal.dismissed': { target: 'idle', actions: 'clearItem' },
      },
    },
    cancelling: {
      tags: 'busy',
      invoke: {
        id: 'cancelItem',
        src: 'cancelItem',
        input: ({ context }) => known(context.item),
        onDone: 'removing',
        onError: [
          { guard: withEvent('hasEnded'), target: 'removing' },
          {
            guard: withEvent('isGone'),
            target: 'idle',
            actions: [
              {
                type: 'notifyParent',
                params: ({ context }) => ({ type: 'removal.succeeded', item: known(context.item) }),
              },
              'clearItem',
            ],
          },
          {
            target: 'idle',
            actions: [
              {
                type: 'notifyParent',
                params: ({ context, event }) => ({
                  type: 'removal.failed',
                  item: known(context.item),
                  failure: toFailure(event.error),
                }),
              },
              'clearItem',
            ],
          },
        ],
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
          actions: [
            {
              type: 'notifyParent',
              params: ({ context }) => ({ type: 'removal.succeeded', item: known(context.item) }),
            },
            'clearItem',
          ],
        },
        onError: [
          {
            guard: withEvent('isGone'),
            target: 'idle',
            actions: [
              {
                type: 'notifyParent',
                params: ({ context }) => ({ type: 'removal.succeeded', item: known(context.item) }),
              },
              'clearItem',
            ],
          },
          {
            guard: withEvent('hasBegun'),
            target: 'confirming',
            actions: [
              {
                type: 'notifyParent',
                params: ({ context }) => ({ type: 'removal.halted', item: known(context.item) }),
              },
              'noteRunning',
            ],
          },
          {
            target: 'idle',
            actions: [
              {
                type: 'notifyParent',
                params: ({ context, event }) => ({
                  type: 'removal.failed',
                  item: known(context.item),
                  failure: toFailure(event.error),
                }),
              },
              'clearItem',
            ],
          },
        ],
      },
    },
  },
});
export type RemovalActor = ActorRefFrom<typeof removalMachine>;
