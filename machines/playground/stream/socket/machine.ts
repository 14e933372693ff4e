// Models the socket of one live session: its temporary key, its connection, what waits for it, and its watchdog.
// Owned by `stream`, which asks it to connect; each of its ends is also an event for `stream`.
import {
  CLOSE_NORMAL,
  type LiveResult,
  PLACEHOLDER_API_KEY,
  QUEUED_MESSAGES_MAX,
  SERVER_QUIET_MAX_MS,
} from '#contract/live.ts';
import { assign, sendTo, setup, type ActorRefFrom } from 'xstate';
import { toFailure } from '../../../shared/failure.ts';
import { hold } from '../../../shared/holding.ts';
import { notifyParent } from '../../../shared/notifyParent.ts';
import { withEvent, withOutput } from '../../../shared/withEvent.ts';
import {
  errorOfFrame,
  errorOfKey,
  liveError,
  QUEUE_OVERFLOW,
  SERVER_SILENT,
  type LiveError,
} from '../../live/errors.ts';
import type { KeylessLiveConfig } from '../../settings/types.ts';
import {
  fetchKey,
  webSocket,
  type FirstFrame,
  type Message,
  type SessionKey,
  type WebSocketCommand,
  type WebSocketEvent,
} from './actors.ts';
import { KEEPALIVE, messagesOf, type Outgoing } from './messages.ts';

/**
 * From `stream`. `connect.requested` comes at most once. What is sent before the socket is open waits, but `audio.ended`
 * then closes the socket, even if it never connected.
 */
export type SocketCommand = { type: 'connect.requested'; config: KeylessLiveConfig } | Outgoing;

/**
 * To `stream`. The last three are ends. `socket.refused`: no key, no WebSocket, a full queue, an error frame, an
 * unreadable message, too long without one.
 */
export type SocketNotice =
  | { type: 'socket.opened' }
  | { type: 'socket.received'; result: LiveResult }
  | { type: 'socket.refused'; error: LiveError }
  | { type: 'socket.closed'; code: number; reason: string }
  /** The browser's error event. */
  | { type: 'socket.failed' };

type SocketContext = {
  firstFrame: FirstFrame;
  /** What waits until the socket is open, at most QUEUED_MESSAGES_MAX. */
  queue: readonly Message[];
  /** Whether the server has sent any message. */
  isAnswered: boolean;
};

export type SocketActor = ActorRefFrom<typeof socketMachine>;

/** How much longer than the server gives itself the client waits, for what is on its way. */
const MARGIN_MS = 2000;
/** The last part of that wait is a second look, since timers are late in hidden tabs and after sleep. */
const SECOND_LOOK_MS = 15_000;

const setupSocket = setup({
  types: {} as { context: SocketContext; events: SocketCommand | WebSocketEvent; tags: 'quiet' },
  actors: { fetchKey, webSocket },
  delays: {
    keepaliveInterval: 15_000,
    // The server tells of each second of sound. Without a message for so long, it does not answer.
    quietLimit: 6000,
    // How long it may then go on, up to the second look.
    silenceLimit: SERVER_QUIET_MAX_MS.engine + MARGIN_MS - SECOND_LOOK_MS,
    secondLook: SECOND_LOOK_MS,
    // How long it may go on once only the last words are awaited.
    endLimit: SERVER_QUIET_MAX_MS.results + MARGIN_MS,
  },
  guards: {
    isAnswered: ({ context }) => context.isAnswered,
    fits: ({ context }, { messages }: { messages: readonly Message[] }) =>
      context.queue.length + messages.length <= QUEUED_MESSAGES_MAX,
  },
  actions: {
    hold,
    setConfig: assign((_, { config }: { config: KeylessLiveConfig }) => ({
      firstFrame: { ...config, api_key: PLACEHOLDER_API_KEY },
    })),
    queue: assign(({ context }, { messages }: { messages: readonly Message[] }) => ({
      queue: [...context.queue, ...messages],
    })),
    sendQueue: sendTo('webSocket', ({ context }): WebSocketCommand => ({
      type: 'webSocket.send',
      messages: context.queue,
    })),
    clearQueue: assign({ queue: [] }),
    // The key is passed on, and kept nowhere (LIV-14).
    connect: sendTo('webSocket', ({ context }, key: SessionKey): WebSocketCommand => ({
      type: 'webSocket.connect',
      firstFrame: { ...context.firstFrame, ...key },
    })),
    send: sendTo('webSocket', (_, { messages }: { messages: readonly Message[] }): WebSocketCommand => ({
      type: 'webSocket.send',
      messages,
    })),
    noteAnswer: assign({ isAnswered: true }),
    notifyParent: notifyParent<SocketNotice>(),
  },
});

const notify = <const Notice extends SocketNotice>(notice: Notice) =>
  ({ type: 'notifyParent', params: notice }) as const;
const asMessages = ({ event }: { event: Outgoing }) => ({ messages: messagesOf(event) });

const queueing = [
  { guard: { type: 'fits', params: asMessages }, actions: { type: 'queue', params: asMessages } },
  { target: '#socket.refused', actions: notify({ type: 'socket.refused', error: QUEUE_OVERFLOW }) },
] as const;
const sending = { actions: { type: 'send', params: asMessages } } as const;

const received = {
  type: 'notifyParent',
  params: ({ event }: { event: Extract<WebSocketEvent, { type: 'result.received' }> }) =>
    ({ type: 'socket.received', result: event.result }) as const,
} as const;

const silence = {
  target: '#socket.refused',
  actions: notify({ type: 'socket.refused', error: SERVER_SILENT }),
} as const;

// Each message enters `heard` again, which restarts its timer.
const watchdog = setupSocket.createStateConfig({
  initial: 'running',
  states: {
    running: {
      initial: 'heard',
      on: { 'result.received': { target: '.heard', actions: ['noteAnswer', received] } },
      states: {
        heard: {
          after: { quietLimit: 'quiet' },
          // A server that has not answered yet may still be starting its engine: it has the longer limit, counted anew.
          on: {
            'audio.ended': [
              { guard: 'isAnswered', target: '#ending', ...sending },
              { target: 'heard', reenter: true, ...sending },
            ],
          },
        },
        quiet: {
          tags: 'quiet',
          after: { silenceLimit: 'silent' },
          on: {
            'audio.ended': [
              { guard: 'isAnswered', target: '#ending.quiet', ...sending },
              { target: 'quiet', reenter: true, ...sending },
            ],
          },
        },
        silent: {
          tags: 'quiet',
          after: { secondLook: silence },
          on: {
            'audio.ended': [
              { guard: 'isAnswered', target: '#ending.quiet', ...sending },
              { target: 'quiet', ...sending },
            ],
          },
        },
      },
    },
    ending: {
      id: 'ending',
      initial: 'heard',
      on: { 'result.received': { target: '.heard', actions: received } },
      states: {
        heard: { after: { quietLimit: 'quiet' } },
        quiet: { tags: 'quiet', after: { endLimit: silence } },
      },
    },
  },
});

export const socketMachine = setupSocket.createMachine({
  id: 'socket',
  context: { firstFrame: {}, queue: [], isAnswered: false },
  entry: 'hold',
  // It waits for `webSocket.connect`.
  invoke: {
    id: 'webSocket',
    src: 'webSocket',
    // Not an address, or forbidden by the content security policy.
    onError: {
      target: '.refused',
      actions: {
        type: 'notifyParent',
        params: ({ event }) => ({
          type: 'socket.refused',
          error: liveError('websocket_error', toFailure(event.error).message),
        }),
      },
    },
  },
  initial: 'waiting',
  on: {
    'failure.received': {
      target: '.refused',
      actions: {
        type: 'notifyParent',
        params: ({ event }) => ({ type: 'socket.refused', error: errorOfFrame(event.failure) }),
      },
    },
    'unreadable.received': {
      target: '.refused',
      actions: notify({
        type: 'socket.refused',
        error: liveError('websocket_error', 'The server sent a message that cannot be read.'),
      }),
    },
    'webSocket.failed': { target: '.failed', actions: notify({ type: 'socket.failed' }) },
    'webSocket.closed': {
      target: '.closed',
      actions: {
        type: 'notifyParent',
        params: ({ event: { code, reason } }) => ({ type: 'socket.closed', code, reason }),
      },
    },
  },
  states: {
    waiting: {
      on: {
        'audio.chunk': queueing,
        'finalize.requested': queueing,
        'audio.ended': {
          target: 'closed',
          actions: notify({ type: 'socket.closed', code: CLOSE_NORMAL, reason: '' }),
        },
      },
      initial: 'idle',
      states: {
        idle: { on: { 'connect.requested': { target: 'fetchingKey', actions: withEvent('setConfig') } } },
        fetchingKey: {
          invoke: {
            id: 'fetchKey',
            src: 'fetchKey',
            onDone: { target: 'connecting', actions: withOutput('connect') },
            onError: {
              target: '#socket.refused',
              actions: {
                type: 'notifyParent',
                params: ({ event }) => ({ type: 'socket.refused', error: errorOfKey(event.error) }),
              },
            },
          },
        },
        connecting: {
          on: {
            'webSocket.opened': {
              target: '#socket.open',
              actions: ['sendQueue', 'clearQueue', notify({ type: 'socket.opened' })],
            },
          },
        },
      },
    },
    open: {
      type: 'parallel',
      on: { 'audio.chunk': sending, 'finalize.requested': sending },
      states: {
        watchdog,
        keepalive: {
          initial: 'pause',
          states: {
            pause: {
              after: {
                keepaliveInterval: {
                  target: 'pause',
                  reenter: true,
                  actions: { type: 'send', params: { messages: [KEEPALIVE] } },
                },
              },
            },
          },
        },
      },
    },
    closed: { type: 'final' },
    refused: { type: 'final' },
    failed: { type: 'final' },
  },
});
