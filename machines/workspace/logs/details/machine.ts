// Models one opened request of the logs: shows the list's entry at once, and loads the rest.
// Owned by the logs, while the address names the request.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { LogDetails, LogEntry } from '#contract/logs.ts';
import { failureOf, isGone, type Failure } from '../../../shared/failure.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import { UNREAD } from '../../../shared/unread.ts';
import { loadLog } from './actors.ts';

type Input = {
  projectUuid: string;
  id: string;
  /** The list's entry; null if the list does not have it. */
  entry: LogEntry | null;
};

type LogDetailsContext = Input & { details: LogDetails | null; failure: Failure | null };

export const logDetailsMachine = setup({
  types: {} as {
    context: LogDetailsContext;
    input: Input;
    events: { type: 'retry.requested' };
    tags: 'loading' | 'failed' | 'missing';
  },
  actors: { loadLog },
  guards: { isGone: (_, { error }: { error: unknown }) => isGone(error) },
  actions: {
    setDetails: assign((_, details: LogDetails) => ({ details, entry: details, failure: null })),
    setFailure: assign(failureOf),
  },
}).createMachine({
  id: 'logDetails',
  context: ({ input }) => ({ ...input, details: null, failure: null }),
  initial: 'loading',
  states: {
    loading: {
      tags: 'loading',
      invoke: {
        id: 'loadLog',
        src: 'loadLog',
        input: ({ context: { projectUuid, id } }) => ({ projectUuid, id }),
        onDone: { target: 'shown', actions: withOutput('setDetails') },
        onError: [
          { guard: withEvent('isGone'), target: 'missing' },
          { target: 'failed', actions: withEvent('setFailure') },
        ],
      },
    },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
    missing: { tags: 'missing' },
    shown: {},
  },
});

export type LogDetailsActor = ActorRefFrom<typeof logDetailsMachine>;
