// Models the question before a member is removed: shows the API keys they made, and whether to revoke these (SEC-13).
// Owned by `members` and by `projectPeople`, while they ask.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { MemberApiKey } from '#contract/api-keys.ts';
import { type Failure, failureOf } from '../../shared/failure.ts';
import { loadMemberKeys, type MemberToRemove } from './actors.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import { reading } from '../../shared/loaded.ts';
import { UNREAD } from '../../shared/unread.ts';

type MemberRemovalContext = MemberToRemove & {
  keys: readonly MemberApiKey[];
  /** Whether the keys are revoked with the removal. */
  revokesKeys: boolean;
  /** Why the keys could not be read. */
  failure: Failure | null;
  isConfirmed: boolean;
};

/** The person's answer; `revokesKeys` is true only if the removal was confirmed. */
export type MemberRemovalOutput = { isConfirmed: boolean; revokesKeys: boolean };

const removedOf = ({ orgUuid, userUuid, projectUuid }: MemberToRemove): MemberToRemove => ({
  orgUuid,
  userUuid,
  projectUuid,
});

export const memberRemovalMachine = setup({
  types: {} as {
    context: MemberRemovalContext;
    input: MemberToRemove;
    events:
      | { type: 'removal.confirmed' }
      | { type: 'removal.dismissed' }
      | { type: 'revocation.chosen'; revokesKeys: boolean }
      | { type: 'retry.requested' };
    output: MemberRemovalOutput;
    tags: 'loading' | 'failed' | 'loaded';
    children: { loadMemberKeys: 'loadMemberKeys' };
  },
  actors: { loadMemberKeys },
  guards: { hasKeys: ({ context }) => context.keys.length > 0 },
  actions: {
    setKeys: assign((_, keys: readonly MemberApiKey[]) => ({ keys })),
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
    // The person cannot confirm before they see the keys.
    reading: {
      tags: 'loading',
      invoke: reading('loadMemberKeys', removedOf, 'failed', { target: 'loaded', actions: withOutput('setKeys') }),
    },
    loaded: {
      tags: 'loaded',
      on: {
        'revocation.chosen': { guard: 'hasKeys', actions: withEvent('setChoice') },
        'removal.confirmed': { target: 'ended', actions: 'confirm' },
      },
    },
    // The removal may be urgent, so it works without the list; the keys then stay.
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
