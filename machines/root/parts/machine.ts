// Models whether the page has all the code that it asked for, and fetches missing code again until it comes.
// Owned by the root. Once the server has another version, only a reload helps, which the person decides.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { fetchParts, watchParts, type PartsState, type PartsEvent } from './actors.ts';

const FIRST_PAUSE_MS = 2000;
const LONGEST_PAUSE_MS = 30_000;

const setupParts = setup({
  types: {} as {
    /** Tries since code is missing. */
    context: { tries: number };
    events: PartsEvent | { type: 'retry.requested' };
    tags: 'missing' | 'outdated';
    children: { watchParts: 'watchParts'; fetchParts: 'fetchParts' };
  },
  actors: { watchParts, fetchParts },
  delays: { pause: ({ context }) => Math.min(FIRST_PAUSE_MS * 2 ** (context.tries - 1), LONGEST_PAUSE_MS) },
  guards: { is: (_, { found, wanted }: { found: PartsState; wanted: PartsState }) => found === wanted },
  actions: {
    count: assign(({ context }) => ({ tries: context.tries + 1 })),
    forget: assign({ tries: 0 }),
  },
});

const found = (wanted: PartsState) =>
  ({
    type: 'is',
    params: ({ event }: { event: { output: PartsState } }) => ({ found: event.output, wanted }),
  }) as const;

export const partsMachine = setupParts.createMachine({
  id: 'parts',
  context: { tries: 0 },
  invoke: { id: 'watchParts', src: 'watchParts' },
  initial: 'whole',
  states: {
    whole: { entry: 'forget', on: { 'part.missed': 'missing' } },
    missing: {
      tags: 'missing',
      initial: 'trying',
      states: {
        trying: {
          entry: 'count',
          invoke: {
            id: 'fetchParts',
            src: 'fetchParts',
            onDone: [
              { guard: found('whole'), target: '#parts.whole' },
              { guard: found('outdated'), target: '#parts.outdated' },
              { target: 'pausing' },
            ],
          },
        },
        pausing: { after: { pause: 'trying' }, on: { 'retry.requested': 'trying', 'network.back': 'trying' } },
      },
    },
    outdated: { tags: 'outdated' },
  },
});

export type PartsActor = ActorRefFrom<typeof partsMachine>;
