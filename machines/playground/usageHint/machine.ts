// Models the usage of a project's limits, and whether the balance is used up, for hints beside the buttons.
// Owned by the playground, which reports when usage may have changed. Reads at the start and after such reports.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { ProjectLimit, ProjectLimits } from '#contract/limits.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { withOutput } from '../../shared/withEvent.ts';
import { readUse } from './actors.ts';

type UsageHintContext = {
  projectUuid: string;
  /** Empty while unknown. */
  limits: readonly ProjectLimit[];
  /** Whether the organization's balance is used up, so that nothing may begin; false while unknown. */
  isExhausted: boolean;
  /** Whether usage has changed since the request under way was sent. */
  isStale: boolean;
};

/** Something that counts against a limit has begun, ended or been refused; or a limit has changed. */
export type UseChanged = { type: 'use.changed' };

/** Whether the organization's balance is used up, so that nothing may begin. Tells the owner what each reading says. */
export type BalanceRead = { type: 'balance.read'; isExhausted: boolean };

/** Wait before a reading, milliseconds: the server counts a session shortly after its socket opens. */
const PAUSE_MS = 1000;

const tellBalance = {
  type: 'notifyParent',
  params: ({ context: { isExhausted } }: { context: UsageHintContext }) =>
    ({ type: 'balance.read', isExhausted }) as const,
} as const;

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
    clearLimits: assign({ limits: [] }),
    notifyParent: notifyParent<BalanceRead>(),
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
          { guard: 'isStale', target: 'due', actions: [withOutput('setUse'), tellBalance] },
          { target: 'resting', actions: [withOutput('setUse'), tellBalance] },
        ],
        // Without hints the server still decides whether something may begin. The balance is as it was read last.
        onError: { target: 'resting', actions: 'clearLimits' },
      },
    },
    resting: { on: { 'use.changed': 'due' } },
    due: { after: { pause: 'reading' } },
  },
});

export type UsageHintActor = ActorRefFrom<typeof usageHintMachine>;
