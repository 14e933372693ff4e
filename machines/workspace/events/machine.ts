// Models the stream of events from the server: open while the page is visible and online, reopened when it ends.
// Owned by the workspace, because only signed-in people have it.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { ConsoleEvent } from '#contract/events.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { eventStream, pagePresence, type PageEvent, type StreamEvent } from './actors.ts';

/** An event of the stream, or a hint that the memberships may have changed. */
export type EventsNotice = PushReceived | { type: 'memberships.outdated' };
export type PushReceived = { type: 'push.received'; event: ConsoleEvent };

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;

/** Pause before the stream is reopened, milliseconds; doubles with every failure since it was last open. */
export const pauseAfter = (failures: number): number => Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures);

export const eventsMachine = setup({
  types: {} as {
    context: { failures: number };
    events: PageEvent | StreamEvent;
    tags: 'open';
    children: { pagePresence: 'pagePresence'; eventStream: 'eventStream' };
  },
  actors: { pagePresence, eventStream },
  // `src/effects/provide` adds jitter, so that not all pages return at once to a server that was down.
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
      // Nothing is said of a failure: without the stream the page is as good as its last reading, and a stream that
      // opens again begins with a word to read everything anew. Offline, `connection` says so.
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
