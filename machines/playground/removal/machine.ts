// Models removing one file or transcription, after a question. A running transcription is cancelled first.
// Owned by the library, which removes the row at once and restores it if the server refuses.
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
  /** Whether the list knows it as an unfinished transcription, to cancel before the deletion. */
  isRunning?: boolean;
};

type RemovalContext = {
  item: RemovalItem | null;
  /** The last item asked about, kept after its removal so that its place can get the focus. */
  latest: RemovalItem | null;
};

type RemovalEvent =
  | { type: 'removal.requested'; item: RemovalItem }
  | { type: 'removal.confirmed' }
  | { type: 'removal.dismissed' };

export type RemovalNotice =
  | { type: 'removal.started'; item: RemovalItem }
  | { type: 'removal.succeeded'; item: RemovalItem }
  /** The transcription turned out to be running: it stays until the person confirms again. */
  | { type: 'removal.halted'; item: RemovalItem }
  | { type: 'removal.failed'; item: RemovalItem; failure: Failure };

const CONFLICT = 409;
const statusOf = (error: unknown): number | undefined => toFailure(error).status;

const setupRemoval = setup({
  types: {} as { context: RemovalContext; events: RemovalEvent; tags: 'confirming' | 'busy' },
  actors: { removeItem, cancelItem },
  guards: {
    isRunning: ({ context }) => context.item?.isRunning === true,
    /** Somebody else has deleted it, which counts as success. */
    isGone: (_, { error }: { error: unknown }) => isGone(error),
    /** The transcription ended just before it could be cancelled. */
    hasEnded: (_, { error }: { error: unknown }) => statusOf(error) === CONFLICT,
    /** The transcription began to run after the list was read. */
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

/** Tells the parent how far the removal is. */
const tell = (type: Exclude<RemovalNotice['type'], 'removal.failed'>) =>
  ({
    type: 'notifyParent',
    params: ({ context }: { context: RemovalContext }): RemovalNotice => ({ type, item: known(context.item) }),
  }) as const;

const done = { target: 'idle', actions: [tell('removal.succeeded'), 'clearItem'] } as const;
const failed = {
  target: 'idle',
  actions: [
    {
      type: 'notifyParent',
      params: ({ context, event }: { context: RemovalContext; event: { error: unknown } }): RemovalNotice => ({
        type: 'removal.failed',
        item: known(context.item),
        failure: toFailure(event.error),
      }),
    },
    'clearItem',
  ],
} as const;

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
          { guard: 'isRunning', target: 'cancelling', actions: tell('removal.started') },
          { target: 'removing', actions: tell('removal.started') },
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
          { guard: withEvent('isGone'), ...done },
          failed,
        ],
      },
    },
    removing: {
      tags: 'busy',
      invoke: {
        id: 'removeItem',
        src: 'removeItem',
        input: ({ context }) => known(context.item),
        onDone: done,
        onError: [
          { guard: withEvent('isGone'), ...done },
          {
            guard: withEvent('hasBegun'),
            target: 'confirming',
            actions: [tell('removal.halted'), 'noteRunning'],
          },
          failed,
        ],
      },
    },
  },
});
export type RemovalActor = ActorRefFrom<typeof removalMachine>;
