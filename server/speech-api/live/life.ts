/**
 * The life of a live session at the server. The server gets on downwards. To the right, the client has ended its audio,
 * and the end is still in the queue.
 *
 *     waiting
 *       ↓ requested
 *     admitting ─ ended → admittingEnded
 *       ↓ admitted          ↓ admitted
 *     opening ─── ended → openingEnded
 *       ↓ opened            ↓ opened
 *     streaming ─ ended → streamingEnded
 *                           ↓ emptied
 *                         finishing
 *                           ↓ completed
 *                         over
 *
 *     admitting ─ mistaken → admittingMistaken ─ admitted → over
 *     streaming, streamingEnded, finishing ─ exhausted → exhausted ─ completed → over
 *
 * `expired`, `failed` and `left` lead to `over` from every state, `mistaken` from `waiting`, `opening` and `streaming`.
 * `completed` may also come early. {@link LIFE} is the whole table, with the timers of each state; {@link RUNS_WHILE}
 * says what else a timer needs. `Lifetime` executes both, and `LiveSession` does what each move brings.
 */

/** The events of a session: what has happened. */
export const LIVE_EVENTS = {
  requested: 'the client has sent a start request of the right shape',
  admitted: 'the gate has given the session a place',
  opened: "the engine's stream is open",
  ended: 'the client has ended its audio',
  emptied: 'all audio before the end has left the queue',
  exhausted: 'no more audio can be reserved',
  completed: 'the engine has sent its last result',
  mistaken: 'the client has sent a wrong frame',
  expired: 'a timer has run out',
  failed: 'gate, engine or decoder has failed or refused, or the server ends the session',
  left: 'the connection is closed, by either side',
} as const;
export type LiveEvent = keyof typeof LIVE_EVENTS;

/** The states of a session: what it waits for. */
export const LIVE_STATES = {
  waiting: 'the start request',
  admitting: 'the gate; inputs are queued',
  admittingMistaken: 'the gate, whose refusal precedes the one of the wrong frame; further frames are ignored',
  admittingEnded: 'the gate; the end of the audio is queued',
  opening: 'the engine; inputs are queued',
  openingEnded: 'the engine; the end of the audio is queued',
  streaming: 'inputs, which go to the engine',
  streamingEnded: 'the engine, which has yet to take what is queued before the end of the audio',
  finishing: "the engine's last result",
  exhausted: "the engine's last result; then the client hears why no more audio could be reserved",
  over: 'nothing',
} as const;
export type LiveState = keyof typeof LIVE_STATES;

/** The timers of a session: what each one limits. Only `second` ends no session. */
export const LIVE_TIMERS = {
  start: 'the wait for the start request',
  idle: 'the wait for a frame of the client',
  duration: 'the longest session',
  key: 'the longest session that the key allows',
  slow: 'the time in which enough audio must reach the engine',
  decode: 'the wait for the first sound of a container',
  unready: 'the wait for an engine that is not ready, after the end of the audio',
  stalled: 'the wait for an engine that takes no input',
  finish: "the wait for the engine's next result",
  reader: 'the wait for a client that leaves results unread',
  second: 'the second in which only so many frames are read',
} as const;
export type LiveTimer = keyof typeof LIVE_TIMERS;

interface Row {
  /**
   * The timer that bounds the state. It starts with the state, unless it already runs. Null while the session waits for
   * the gate, which has no limit but those of its queries.
   */
  bound: LiveTimer | null;
  /** The other timers that may run. All others stop when the state begins. */
  timers: readonly LiveTimer[];
  /**
   * The events that may come, and the states to which they lead. `late` is an event that is expected and changes
   * nothing. Any other event is a fault of the server: it ends the session with a 500, whose cause is logged.
   */
  on: Partial<Record<LiveEvent, LiveState | 'late'>>;
}

const ENDS = { expired: 'over', failed: 'over', left: 'over' } as const;
/** The engine's stream is open, perhaps ahead of the admission. Another service may end it before the client does. */
const ENDS_OR_COMPLETES = { ...ENDS, completed: 'over' } as const;
const FLOW = ['second', 'reader'] as const;

export const LIFE: Record<LiveState, Row> = {
  waiting: { bound: 'start', timers: ['second'], on: { ...ENDS, requested: 'admitting', mistaken: 'over' } },
  admitting: {
    bound: null,
    timers: FLOW,
    on: { ...ENDS_OR_COMPLETES, admitted: 'opening', ended: 'admittingEnded', mistaken: 'admittingMistaken' },
  },
  admittingMistaken: { bound: null, timers: FLOW, on: { ...ENDS_OR_COMPLETES, admitted: 'over' } },
  admittingEnded: { bound: null, timers: FLOW, on: { ...ENDS_OR_COMPLETES, admitted: 'openingEnded' } },
  opening: {
    bound: 'duration',
    timers: [...FLOW, 'key', 'idle'],
    on: { ...ENDS, opened: 'streaming', ended: 'openingEnded', mistaken: 'over' },
  },
  openingEnded: {
    bound: 'unready',
    timers: [...FLOW, 'duration', 'key'],
    on: { ...ENDS, opened: 'streamingEnded' },
  },
  streaming: {
    bound: 'duration',
    timers: [...FLOW, 'key', 'idle', 'slow', 'decode', 'stalled'],
    on: { ...ENDS_OR_COMPLETES, ended: 'streamingEnded', exhausted: 'exhausted', mistaken: 'over' },
  },
  streamingEnded: {
    bound: 'duration',
    timers: [...FLOW, 'key', 'decode', 'stalled'],
    on: { ...ENDS_OR_COMPLETES, emptied: 'finishing', exhausted: 'exhausted' },
  },
  finishing: { bound: 'finish', timers: FLOW, on: { ...ENDS_OR_COMPLETES, exhausted: 'exhausted' } },
  exhausted: { bound: 'finish', timers: FLOW, on: ENDS_OR_COMPLETES },
  // Gate, engine, connection and server do not know yet that the session is over.
  over: {
    bound: null,
    timers: [],
    on: { admitted: 'late', opened: 'late', exhausted: 'late', completed: 'late', failed: 'late', left: 'late' },
  },
};

/** The first state of a session. */
export const FIRST: LiveState = 'waiting';

/** Whether the client may send anything but the end of the connection. In other states its frames are ignored. */
export const takesFrames = (state: LiveState): boolean => LIFE[state].on.mistaken !== undefined;

/** What slows a session down. */
export interface Slowness {
  /** The client leaves too many results unread. */
  readonly isReaderBehind: boolean;
  /** The engine must take or answer something before it gets the next input. */
  readonly isEngineBehind: boolean;
  /** The connection is not read, for either reason or because too much is queued or comes in a second. */
  readonly isPaused: boolean;
}

/** When a timer may run, besides its states. Nothing is read during a pause, so the client cannot be idle or slow. */
export const RUNS_WHILE: Partial<Record<LiveTimer, (slowness: Slowness) => boolean>> = {
  idle: ({ isPaused }) => !isPaused,
  slow: ({ isPaused }) => !isPaused,
  reader: ({ isReaderBehind }) => isReaderBehind,
  stalled: ({ isEngineBehind }) => isEngineBehind,
};
