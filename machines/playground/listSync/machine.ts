// Keeps a project's lists up to date with other tabs and programs: reads each changed item once, one at a time.
// Owned by the library, which sends it the changes and applies what was read.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { mayPass } from '../../shared/failure.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { readListed, readLists, type ItemRead, type Listed, type ListsRead, type Loaded } from './actors.ts';
import { withEvent } from '../../shared/withEvent.ts';

/** `isNew`: the list may have to add the item. */
type Waiting = Listed & { isNew: boolean };

type ListSyncContext = {
  waiting: readonly Waiting[];
  /** The item being read; null also if it was deleted meanwhile, and then the answer is ignored. */
  reading: Waiting | null;
  /** Rows to read again of each list; null if the lists are up to date. */
  outdated: Loaded | null;
};

type ListSyncEvent =
  | { type: 'item.changed'; kind: Listed['kind']; id: string; isNew: boolean; loaded: Loaded }
  | { type: 'item.deleted'; kind: Listed['kind']; id: string }
  /** Changes may have been missed. */
  | { type: 'lists.outdated'; loaded: Loaded };

export type ListSyncNotice =
  | ({ type: 'listed.read'; isNew: boolean } & ItemRead)
  | ({ type: 'listed.gone' } & Listed)
  | ({ type: 'lists.read' } & ListsRead);

/** With more items waiting, it is quicker to read the lists again. */
const WAITING_MAX = 20;

const isSame = (one: Listed, other: Listed): boolean => one.kind === other.kind && one.id === other.id;

const setupListSync = setup({
  types: {} as {
    context: ListSyncContext;
    events: ListSyncEvent;
    children: { readLists: 'readLists'; readListed: 'readListed' };
  },
  actors: { readLists, readListed },
  delays: { pause: 5000 },
  guards: {
    isOutdated: ({ context }) => context.outdated !== null,
    hasWaiting: ({ context }) => context.waiting.length > 0,
    mayPass: (_, { error }: { error: unknown }) => mayPass(error),
    isWanted: ({ context }) => context.reading !== null,
    isThere: ({ context }, { read }: { read: ItemRead | null }) => context.reading !== null && read !== null,
  },
  actions: {
    queue: assign(({ context: { waiting, outdated } }, { kind, id, isNew, loaded }: Waiting & { loaded: Loaded }) => {
      const known = waiting.find((other) => isSame(other, { kind, id }));
      if (known)
        return {
          waiting: waiting.map((other) => (other === known ? { ...other, isNew: other.isNew || isNew } : other)),
        };
      if (waiting.length >= WAITING_MAX) return { waiting: [], outdated: outdated ?? loaded };
      return { waiting: [...waiting, { kind, id, isNew }] };
    }),
    drop: assign(({ context: { waiting, reading } }, { kind, id }: Listed) => ({
      waiting: waiting.filter((other) => !isSame(other, { kind, id })),
      reading: reading && isSame(reading, { kind, id }) ? null : reading,
    })),
    // The lists will contain the waiting items.
    note: assign((_, { loaded }: { loaded: Loaded }) => ({ outdated: loaded, waiting: [] })),
    clearOutdated: assign({ outdated: null }),
    takeNext: assign(({ context: { waiting } }) => ({ reading: waiting[0] ?? null, waiting: waiting.slice(1) })),
    putBack: assign(({ context: { waiting, reading } }) => ({
      waiting: reading && !waiting.some((other) => isSame(other, reading)) ? [reading, ...waiting] : waiting,
      reading: null,
    })),
    notifyParent: notifyParent<ListSyncNotice>(),
  },
});

export const listSyncMachine = setupListSync.createMachine({
  id: 'listSync',
  context: { waiting: [], reading: null, outdated: null },
  initial: 'idle',
  on: {
    'item.changed': { actions: withEvent('queue') },
    'item.deleted': {
      actions: [
        withEvent('drop'),
        { type: 'notifyParent', params: ({ event: { kind, id } }) => ({ type: 'listed.gone', kind, id }) },
      ],
    },
    'lists.outdated': { target: '.idle', actions: withEvent('note') },
  },
  states: {
    idle: {
      always: [
        { guard: 'isOutdated', target: 'readingLists' },
        { guard: 'hasWaiting', target: 'readingOne' },
      ],
    },
    readingLists: {
      invoke: {
        id: 'readLists',
        src: 'readLists',
        input: ({ context }) => context.outdated ?? { files: 0, transcriptions: 0 },
        onDone: {
          target: 'idle',
          actions: [
            'clearOutdated',
            { type: 'notifyParent', params: ({ event }) => ({ type: 'lists.read', ...event.output }) },
          ],
        },
        onError: [
          { guard: withEvent('mayPass'), target: 'pausing' },
          { target: 'idle', actions: 'clearOutdated' },
        ],
      },
    },
    readingOne: {
      entry: 'takeNext',
      invoke: {
        id: 'readListed',
        src: 'readListed',
        input: ({ context: { reading } }) => {
          if (!reading) throw new Error('Nothing to read.');
          return { kind: reading.kind, id: reading.id };
        },
        onDone: [
          {
            guard: { type: 'isThere', params: ({ event }) => ({ read: event.output }) },
            target: 'idle',
            actions: { type: 'notifyParent', params: ({ context, event }) => readAs(context, event.output) },
          },
          {
            guard: 'isWanted',
            target: 'idle',
            actions: { type: 'notifyParent', params: ({ context }) => goneAs(context) },
          },
          { target: 'idle' },
        ],
        onError: [
          { guard: withEvent('mayPass'), target: 'pausing', actions: 'putBack' },
          // A repeat would not help: leave the row as it is and go on.
          { target: 'idle' },
        ],
      },
    },
    // The server or the network is unavailable; the rows stay.
    pausing: { after: { pause: 'idle' } },
  },
});

function readAs({ reading }: ListSyncContext, read: ItemRead | null): ListSyncNotice {
  if (!reading || !read) throw new Error('Nothing was read.');
  return { type: 'listed.read', isNew: reading.isNew, ...read };
}

function goneAs({ reading }: ListSyncContext): ListSyncNotice {
  if (!reading) throw new Error('Nothing was read.');
  return { type: 'listed.gone', kind: reading.kind, id: reading.id };
}

export type ListSyncActor = ActorRefFrom<typeof listSyncMachine>;
