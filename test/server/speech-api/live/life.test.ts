/** The table of the life of a live session: walks it alone, and with real sessions. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  FIRST,
  LIFE,
  LIVE_EVENTS,
  LIVE_STATES,
  LIVE_TIMERS,
  RUNS_WHILE,
  type LiveEvent,
  type LiveState,
  type LiveTimer,
} from '#server/speech-api/live/life.ts';
import { Lifetime } from '#server/speech-api/live/lifetime.ts';
import { BalanceExhausted } from '#server/money/limits/errors.ts';
import type { StreamDecoderEvents } from '#server/engine/port.ts';
import { createFakeClock } from '../../fake-clock.ts';
import { eventually } from '../../eventually.ts';
import { deferred, session, turn } from './live-harness.ts';

const keysOf = <K extends string>(record: Partial<Record<K, unknown>>): K[] => Object.keys(record) as K[];
const STATES = keysOf(LIVE_STATES);
const EVENTS = keysOf(LIVE_EVENTS);
const TIMERS = keysOf(LIVE_TIMERS);

/** The shortest ways from the first state to each other one. */
const WAYS = new Map<LiveState, LiveEvent[]>([[FIRST, []]]);
for (const [state, way] of WAYS)
  for (const event of keysOf(LIFE[state].on)) {
    const target = LIFE[state].on[event];
    if (target !== undefined && target !== 'late' && !WAYS.has(target)) WAYS.set(target, [...way, event]);
  }
const wayTo = (state: LiveState): LiveEvent[] => WAYS.get(state) ?? expect.fail(`No way leads to ${state}.`);

/** Whether a timer may run in a state. */
const allows = (state: LiveState, timer: LiveTimer): boolean =>
  LIFE[state].bound === timer || LIFE[state].timers.includes(timer);

const LISTED = STATES.flatMap((state) => keysOf(LIFE[state].on).map((event) => ({ state, event })));
const MOVES = LISTED.flatMap(({ state, event }) => {
  const target = LIFE[state].on[event];
  return target === undefined || target === 'late' ? [] : [{ state, event, target }];
});
/** A state in which an event moves something. */
const stateBefore = (event: LiveEvent): LiveState =>
  MOVES.find((move) => move.event === event)?.state ?? expect.fail(`Nothing moves by ${event}.`);
const LATE = LISTED.filter(({ state, event }) => LIFE[state].on[event] === 'late');
const UNLISTED = STATES.flatMap((state) =>
  EVENTS.filter((event) => LIFE[state].on[event] === undefined).map((event) => ({ state, event })),
);

describe('LIV-26: the table', () => {
  it('leads to every state, by every event, and uses every timer', () => {
    expect([...WAYS.keys()].toSorted()).toEqual(STATES.toSorted());
    expect([...new Set(MOVES.map(({ event }) => event))].toSorted()).toEqual(EVENTS.toSorted());
    const unused = TIMERS.filter((timer) => !STATES.some((state) => allows(state, timer)));
    expect(unused).toEqual([]);
  });

  it('bounds every state by a timer, or by the gate, and lets it be ended from outside', () => {
    const unbounded = STATES.filter((state) => LIFE[state].bound === null);
    expect(unbounded).toEqual(['admitting', 'admittingMistaken', 'admittingEnded', 'over']);
    for (const state of STATES.filter((one) => one !== 'over'))
      expect([state, LIFE[state].on]).toEqual([
        state,
        expect.objectContaining({ expired: 'over', failed: 'over', left: 'over' }),
      ]);
    for (const state of unbounded.filter((one) => one !== 'over')) expect(LIFE[state].on.admitted).toBeDefined();
    // A timer that also depends on the flow bounds nothing.
    const bounds = new Set(STATES.map((state) => LIFE[state].bound));
    expect(keysOf(RUNS_WHILE).filter((timer) => bounds.has(timer))).toEqual([]);
  });
});

/** A life without a session, whose timers are all as long. */
const lifetime = (state: LiveState) => {
  const clock = createFakeClock();
  const slowness = { isReaderBehind: true, isEngineBehind: true, isPaused: false };
  const expired: LiveTimer[] = [];
  const faulty = vi.fn<(error: Error) => void>();
  const life = new Lifetime(
    { clock, lengthOf: () => 1000, expired: (timer) => void expired.push(timer), faulty },
    slowness,
  );
  for (const event of wayTo(state)) expect(life.move(event)).toBe(true);
  expect(life.state).toBe(state);
  /** The timers that run. */
  const running = (): LiveTimer[] => {
    clock.advance(1000);
    return expired.splice(0).toSorted();
  };
  return { life, slowness, faulty, running };
};
/** The bounds of a state and of those before it, as far as they may still run. */
function boundsAt(state: LiveState): LiveTimer[] {
  let [at, bounds] = [FIRST, [LIFE[FIRST].bound]];
  for (const event of wayTo(state)) {
    const { target } = MOVES.find((move) => move.state === at && move.event === event)!;
    bounds = [...bounds.filter((timer) => timer !== null && allows(target, timer)), LIFE[target].bound];
    at = target;
  }
  return [...new Set(bounds)].filter((timer) => timer !== null).toSorted();
}
const timersOf = (state: LiveState): LiveTimer[] => TIMERS.filter((timer) => allows(state, timer)).toSorted();

describe('LIV-26: a life by the table', () => {
  it.each(MOVES)('$state takes $event, and keeps only the timers of $target', ({ state, event, target }) => {
    const { life, running, faulty } = lifetime(state);
    for (const timer of TIMERS) life.start(timer);
    expect(life.move(event)).toBe(true);
    expect([life.state, faulty.mock.calls]).toEqual([target, []]);
    const { bound } = LIFE[target];
    expect(running()).toEqual(timersOf(target).filter((timer) => allows(state, timer) || timer === bound));
  });

  it.each(STATES)('in %s just its timers start, and its bound by itself', (state) => {
    const { life, running } = lifetime(state);
    expect(running()).toEqual(boundsAt(state));
    for (const timer of TIMERS) life.start(timer);
    expect(running()).toEqual(timersOf(state));
  });

  it.each(LATE)('$state changes nothing at a late $event', ({ state, event }) => {
    const { life, faulty } = lifetime(state);
    expect([life.move(event), life.state, faulty.mock.calls]).toEqual([false, state, []]);
  });

  it.each(UNLISTED)('$state refuses $event as a fault', ({ state, event }) => {
    const { life, faulty } = lifetime(state);
    expect([life.move(event), life.state]).toEqual([false, state]);
    expect(faulty.mock.calls.map(([{ message }]) => message)).toEqual([
      `A live session in the state ${state} cannot take the event ${event}.`,
    ]);
  });

  it.each<[LiveTimer, object]>([
    ['idle', { isPaused: true }],
    ['slow', { isPaused: true }],
    ['reader', { isReaderBehind: false }],
    ['stalled', { isEngineBehind: false }],
  ])('stops %s while %j', (timer, other) => {
    const { life, slowness, running } = lifetime('streaming');
    life.start(timer);
    Object.assign(slowness, other);
    life.stopOthers();
    life.start(timer);
    expect(running()).not.toContain(timer);
  });
});

/**
 * A session in the state before a move. A decoder holds its audio back, and nothing is reserved for the engine, so that
 * each state lasts until its test ends it.
 */
async function sessionBefore(state: LiveState, event: LiveEvent) {
  const move = vi.spyOn(Lifetime.prototype, 'move');
  onTestFinished(() => move.mockRestore());
  const [admitting, ready, taking] = [deferred(), deferred(), deferred()];
  // The engine's stream is opened with the admission only if the engine is ready by then.
  const isOpenAhead = event === 'completed' && state.startsWith('admitting');
  if (isOpenAhead) ready.resolve();
  let decoder: StreamDecoderEvents | undefined;
  const s = session({
    admit: async (open) => {
      open();
      await admitting.promise;
    },
    engine: { ready: () => ready.promise },
    admission: { reservedMs: 0, extend: () => Promise.reject(new BalanceExhausted(1)) },
    openDecoder: (_format, events) => {
      decoder = events;
      return {
        push: () => false,
        drained: () => taking.promise,
        settled: () => Promise.resolve(),
        end: () => new Promise(() => {}),
        notes: () => [],
        close: () => {},
        doubt: () => null,
      };
    },
  });
  // The gate has no timer of the session, but a client that does not read has one in every state.
  if (event === 'expired' && state.startsWith('admitting')) s.connection.pending = Infinity;
  const takes: Record<LiveEvent, () => void> = {
    requested: () => {
      s.begin({ audio_format: 'auto' });
      s.live.binary(Buffer.alloc(2));
    },
    admitted: admitting.resolve,
    opened: ready.resolve,
    ended: () => s.live.text(''),
    emptied: taking.resolve,
    exhausted: () => void decoder?.audio(Buffer.alloc(2)),
    completed: () => s.engine.streams[0]?.say([], true),
    mistaken: () => s.live.text('rubbish!'),
    expired: () => s.clock.advance(24 * 3_600_000),
    failed: () => s.live.shutdown(),
    left: () => s.live.gone(),
  };
  const stateNow = (): LiveState => {
    const life: unknown = move.mock.contexts.at(-1);
    return life instanceof Lifetime ? life.state : FIRST;
  };
  const take = async (one: LiveEvent): Promise<void> => {
    takes[one]();
    await turn();
    await turn();
  };
  for (const one of wayTo(state)) await take(one);
  expect(stateNow()).toBe(state);
  return { s, take, stateNow };
}

describe('LIV-26: a session', () => {
  it.each(MOVES)('$state takes $event: $target', async ({ state, event, target }) => {
    const { s, take, stateNow } = await sessionBefore(state, event);
    await take(event);
    await eventually(() => expect(stateNow()).toBe(target));
    const isOver = target === 'over';
    expect([s.ended.length, s.connection.closed]).toEqual([isOver ? 1 : 0, isOver && event !== 'left' ? [1000] : []]);
  });

  it.each(LATE)('that is over hears nothing of a late $event', async ({ event }) => {
    const state = stateBefore(event);
    const { s, take, stateNow } = await sessionBefore(state, event);
    await take('left');
    const frames = s.frames.length;
    await take(event);
    expect([stateNow(), s.frames.length, s.ended.length]).toEqual(['over', frames, 1]);
    // A place that it got is given back, once.
    expect(s.released).toHaveLength([...wayTo(state), event].includes('admitted') ? 1 : 0);
  });

  it('that takes an event against the table ends as a fault of the server, with its cause', async () => {
    const { s, take } = await sessionBefore('streaming', 'ended');
    const row = LIFE.streaming;
    const { ended: _ended, ...on } = row.on;
    LIFE.streaming = { ...row, on };
    onTestFinished(() => void (LIFE.streaming = row));
    await take('ended');
    expect(await s.refusal()).toMatch(/^500 internal_error: /);
    expect(s.ended[0]?.refusal?.cause).toEqual(
      new Error('A live session in the state streaming cannot take the event ended.'),
    );
  });
});
