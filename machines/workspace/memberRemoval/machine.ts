// Models the question before a member is removed: which API keys they made, and whether these are revoked in the same step (SEC-13).
// Owned by the members of an organization, and by the people of a project, while they ask.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { MadeApiKey } from '#contract/api-keys.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { loadMadeKeys, type Removed } from './actors.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { reading } from '../../shared/loaded.ts';
import { UNREAD } from '../../shared/unread.ts';

type MemberRemovalContext = Removed & {
  keys: readonly MadeApiKey[];
  /** Whether the keys are revoked with the removal. */
  revokesKeys: boolean;
  /** Why the keys are not known. */
  failure: Failure | null;
  isConfirmed: boolean;
};

/** The answer of the person: keys are revoked only where the removal was confirmed. */
export type MemberRemovalOutput = { isConfirmed: boolean; revokesKeys: boolean };

const removedOf = ({ orgUuid, userUuid, projectUuid }: Removed): Removed => ({ orgUuid, userUuid, projectUuid });

export const memberRemovalMachine = setup({
  types: {} as {
    context: MemberRemovalContext;
    input: Removed;
    events:
      | { type: 'removal.confirmed' }
      | { type: 'removal.dismissed' }
      | { type: 'revocation.chosen'; revokesKeys: boolean }
      | { type: 'retry.requested' };
    output: MemberRemovalOutput;
    tags: 'loading' | 'failed' | 'loaded';
    children: { loadMadeKeys: 'loadMadeKeys' };
  },
  actors: { loadMadeKeys },
  guards: { hasKeys: ({ context }) => context.keys.length > 0 },
  actions: {
    setKeys: assign((_, keys: readonly MadeApiKey[]) => ({ keys })),
    setChoice: assign((_, { revokesKeys }: { revokesKeys: boolean }) => ({ revokesKeys })),
    setFailure: assign(failureOf),
    clearFailure: assign({ failure: null }),
    confirm: assign({ isConfirmed: true }),
  },
}).createMachine({
  id: 'memberRemoval',
  context: ({ input }) => ({ ...input, keys: [], revokesKeys: false, failure: null, isConfirmed: false }),
  initial: 'reading',
  on: { 'removal.dismissed': '.ended' },
  states: {
    // Not confirmed before it is known what there is to revoke.
    reading: {
      tags: 'loading',
      invoke: reading('loadMadeKeys', removedOf, 'failed', { target: 'loaded', actions: withOutput('setKeys') }),
    },
    loaded: {
      tags: 'loaded',
      on: {
        'revocation.chosen': { guard: 'hasKeys', actions: withEvent('setChoice') },
        'removal.confirmed': { target: 'ended', actions: 'confirm' },
      },
    },
    // The member may have to go at once: a list that cannot be read does not hold that up. The keys then stay.
    failed: {
      tags: 'failed',
      meta: UNREAD,
      on: {
        'retry.requested': { target: 'reading', actions: 'clearFailure' },
        'removal.confirmed': { target: 'ended', actions: 'confirm' },
      },
    },
    ended: { type: 'final' },
  },
  output: ({ context: { isConfirmed, revokesKeys } }) => ({ isConfirmed, revokesKeys: isConfirmed && revokesKeys }),
});

export type MemberRemovalActor = ActorRefFrom<typeof memberRemovalMachine>;
