// Models the request of the logs that the playground is open for: one that was refused or failed, to be tried again.
// Owned by the playground, while it is open. The address names the request.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { LogDetails } from '#contract/logs.ts';
import { failureOf, isGone, type Failure } from '../../shared/failure.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { UNREAD } from '../../shared/unread.ts';
import { withEvent, withOutput } from '../../shared/withEvent.ts';
import type { RequestRead, RouteChanged } from '../events.ts';
import { loadLog } from './actors.ts';

type Input = {
  projectUuid: string;
  /** Its id; null without one. */
  id: string | null;
};

export const loggedRequestMachine = setup({
  types: {} as {
    context: Input & { details: LogDetails | null; failure: Failure | null };
    input: Input;
    events: RouteChanged | { type: 'retry.requested' };
    tags: 'loading' | 'shown' | 'failed' | 'missing';
  },
  actors: { loadLog },
  guards: {
    isOther: ({ context }, { route }: RouteChanged) => (route.log ?? null) !== context.id,
    isNamed: ({ context }) => context.id !== null,
    isGone: (_, { error }: { error: unknown }) => isGone(error),
  },
  actions: {
    setId: assign((_, { route }: RouteChanged) => ({ id: route.log ?? null, details: null, failure: null })),
    setDetails: assign((_, details: LogDetails) => ({ details, failure: null })),
    setFailure: assign(failureOf),
    notifyParent: notifyParent<RequestRead>(),
  },
}).createMachine({
  id: 'loggedRequest',
  context: ({ input }) => ({ ...input, details: null, failure: null }),
  initial: 'deciding',
  on: { 'route.changed': { guard: withEvent('isOther'), target: '.deciding', actions: withEvent('setId') } },
  states: {
    deciding: { always: [{ guard: 'isNamed', target: 'loading' }, { target: 'none' }] },
    none: {},
    loading: {
      tags: 'loading',
      invoke: {
        id: 'loadLog',
        src: 'loadLog',
        input: ({ context: { projectUuid, id } }) => ({ projectUuid, id: id ?? '' }),
        onDone: {
          target: 'shown',
          actions: [
            withOutput('setDetails'),
            { type: 'notifyParent', params: ({ event }) => ({ type: 'request.read', details: event.output }) },
          ],
        },
        onError: [
          { guard: withEvent('isGone'), target: 'missing' },
          { target: 'failed', actions: withEvent('setFailure') },
        ],
      },
    },
    shown: { tags: 'shown' },
    missing: { tags: 'missing' },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
  },
});

export type LoggedRequestActor = ActorRefFrom<typeof loggedRequestMachine>;
