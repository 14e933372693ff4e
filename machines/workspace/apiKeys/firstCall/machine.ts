// Models the wait for the first call with a new key.
// Owned by `apiKeys`, while the key is shown.
import { assign, setup, type ActorRefFrom } from 'xstate';
import { type Failure, failureOf } from '../../../shared/failure.ts';
import { reading } from '../../../shared/loaded.ts';
import { withOutput } from '../../../shared/withEvent.ts';
import { readKey } from '../actors.ts';
import type { ApiKey } from '#contract/api-keys.ts';

type Input = { projectUuid: string; keyUuid: string };

/** Interval of polling, milliseconds: short enough to look immediate to somebody who tries the key. */
const EVERY_MS = 1500;

const keyOf = ({ projectUuid, keyUuid }: Input): Input => ({ projectUuid, keyUuid });

export const firstCallMachine = setup({
  types: {} as {
    context: Input & { failure: Failure | null };
    input: Input;
    tags: 'called' | 'unknown';
    children: { readKey: 'readKey' };
  },
  actors: { readKey },
  delays: { nextQuestion: EVERY_MS },
  guards: { isUsed: (_, { last_used_at }: ApiKey) => last_used_at !== null },
  actions: { setFailure: assign(failureOf), clearFailure: assign({ failure: null }) },
}).createMachine({
  id: 'firstCall',
  context: ({ input }) => ({ ...input, failure: null }),
  initial: 'waiting',
  states: {
    waiting: {
      initial: 'asking',
      states: {
        asking: {
          invoke: reading('readKey', keyOf, 'missed', [
            { guard: withOutput('isUsed'), target: '#firstCall.called', actions: 'clearFailure' },
            { target: 'pausing', actions: 'clearFailure' },
          ]),
        },
        pausing: { after: { nextQuestion: 'asking' } },
        // The last poll failed; polling goes on.
        missed: { tags: 'unknown', after: { nextQuestion: 'asking' } },
      },
    },
    called: { tags: 'called' },
  },
});

export type FirstCallActor = ActorRefFrom<typeof firstCallMachine>;
