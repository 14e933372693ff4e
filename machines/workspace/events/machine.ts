// Models the stream of what changes elsewhere: open while the page shows and is online, and opened again when it ends.
// Owned by the workspace, so that nobody listens who is not signed in.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { ConsoleEvent } from '#contract/events.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { eventStream, pagePresence, type PageEvent, type StreamEvent } from './actors.ts';

/** What the parent hears: an event of the stream, or that the memberships may be others than those that were read. */
export type EventsNotice = PushReceived | { type: 'memberships.outdated' };
export type PushReceived = { type: 'push.received'; event: ConsoleEvent };

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** The pause before the stream is opened again, milliseconds: longer with every failure since it was open last. */
export const pauseAfter = (failures: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);

export const eventsMachine = setup({
  types: {} as {
    context: { failures: number };
    events: PageEvent | StreamEvent;
    tags: 'open';
    children: { pagePresence: 'pagePresence'; eventStream: 'eventStream' };
  },
  actors: { pagePresence, eventStream },
  // The page spreads it, so that not all pages come back at once to a server that was away.
  delays: { pause: ({ context }) => pauseAfter(context.failures) },
  actions: {
    countFailure: assign(({ context }) => ({ failures: context.failures + 1 })),
    clearFailures: assign({ failures: 0 }),
    notifyParent: notifyParent<EventsNotice>(),
  },
}).createMachine({
  id: 'events',
  context: { failures: 0 },
  invoke: { id: 'pagePresence', src: 'pagePresence' },
  initial: 'absent',
  on: {
    'page.absent': '.absent',
    'page.focused': { actions: { type: 'notifyParent', params: { type: 'memberships.outdated' } } },
    'place.missed': { actions: { type: 'notifyParent', params: { type: 'memberships.outdated' } } },
  },
  states: {
    absent: { on: { 'page.present': 'streaming' } },
    streaming: {
      invoke: { id: 'eventStream', src: 'eventStream', onError: { target: 'pausing', actions: 'countFailure' } },
      initial: 'connecting',
      on: {
        'stream.ended': 'pausing',
        'stream.failed': { target: 'pausing', actions: 'countFailure' },
      },
      states: {
        connecting: { on: { 'stream.opened': { target: 'open', actions: 'clearFailures' } } },
        open: {
          tags: 'open',
          on: {
            'stream.received': {
              actions: { type: 'notifyParent', params: ({ event }) => ({ type: 'push.received', event: event.event }) },
            },
          },
        },
      },
    },
    pausing: { after: { pause: 'streaming' } },
  },
});

export type EventsActor = ActorRefFrom<typeof eventsMachine>;
