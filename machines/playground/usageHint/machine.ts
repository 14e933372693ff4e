// Models how much of the limits of a project is used, and whether its organization can pay, as far as the playground tells it beside its buttons.
// Owned by the playground, which says when something has begun or ended; nothing is read without that.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { ProjectLimit, ProjectLimits } from '#contract/limits.ts';
import { withOutput } from '../../shared/withEvent.ts';
import { readUse } from './actors.ts';

type UsageHintContext = {
  projectUuid: string;
  /** Empty while they are not known. */
  limits: readonly ProjectLimit[];
  /** Whether nothing may begin, as the balance of the organization is used up; false while that is not known. */
  isExhausted: boolean;
  /** Whether something has happened since what is on its way was asked for. */
  isStale: boolean;
};

/** Something that counts against a limit has begun, has ended, or was refused; or what may be used has changed. */
export type UseChanged = { type: 'use.changed' };

/** Milliseconds from what happened to the reading: a session is counted a moment after its socket is open, and what happens together is read once. */
const PAUSE_MS = 1000;

export const usageHintMachine = setup({
  types: {} as {
    context: UsageHintContext;
    input: { projectUuid: string };
    events: UseChanged;
    children: { readUse: 'readUse' };
  },
  actors: { readUse },
  delays: { pause: PAUSE_MS },
  guards: { isStale: ({ context }) => context.isStale },
  actions: {
    setUse: assign((_, { limits, is_balance_exhausted }: ProjectLimits) => ({
      limits,
      isExhausted: is_balance_exhausted,
    })),
    clearUse: assign({ limits: [], isExhausted: false }),
    noteStale: assign({ isStale: true }),
    clearStale: assign({ isStale: false }),
  },
}).createMachine({
  id: 'usageHint',
  context: ({ input }) => ({ ...input, limits: [], isExhausted: false, isStale: false }),
  initial: 'reading',
  states: {
    reading: {
      entry: 'clearStale',
      on: { 'use.changed': { actions: 'noteStale' } },
      invoke: {
        id: 'readUse',
        src: 'readUse',
        input: ({ context: { projectUuid } }) => ({ projectUuid }),
        onDone: [
          { guard: 'isStale', target: 'due', actions: withOutput('setUse') },
          { target: 'resting', actions: withOutput('setUse') },
        ],
        // What is left is not told then; whether something may begin is for the server to say.
        onError: { target: 'resting', actions: 'clearUse' },
      },
    },
    resting: { on: { 'use.changed': 'due' } },
    due: { after: { pause: 'reading' } },
  },
});

export type UsageHintActor = ActorRefFrom<typeof usageHintMachine>;
