/** Which events a chart passes over, in which of its states: every such pair is there on purpose, or is a hole in the chart. */
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { statesOf } from '#test/machines/states.ts';
import { isIn, once, stateNames, type Walk } from './model.ts';

/**
 * By reason what is passed over: `'Nothing has failed': 'retry.requested in loading, ready.{idle, empty}'`. `in any state` is the
 * whole machine; `at times in` says that a guard, or another region, takes some of them.
 */
export type Reasons = Readonly<Record<string, string | readonly string[]>>;

/** Events that are passed over in these states (dotted paths; `''` is the whole machine). */
export type Ignored = {
  states: readonly string[];
  events: readonly string[];
  /** The pair is both taken and passed over. */
  sometimes?: boolean;
};

/** The names in a list; `a.{b, c}` stands for `a.b, a.c`. */
function namesIn(list: string): string[] {
  const [, before, parent = '', inner, after] = /^(.*?)([\w.]*)\{([^{}]*)\}(.*)$/.exec(list) ?? [];
  if (inner === undefined) return list.split(',').map((name) => name.trim());
  const names = inner.split(',').map((name) => parent + name.trim());
  return namesIn(`${before}${names.join(', ')}${after}`);
}

export function readReasons(reasons: Reasons): Ignored[] {
  return Object.values(reasons)
    .flat()
    .map((text) => {
      const [, events, sometimes, states] = /^(.+?)( at times)? in (.+)$/.exec(text) ?? [];
      if (events === undefined || states === undefined) throw new Error(`This is not 'EVENTS in STATES': ${text}`);
      return {
        events: namesIn(events),
        states: states === 'any state' ? [''] : namesIn(states),
        sometimes: sometimes !== undefined,
      };
    });
}

/** An event, with what it carries, that changes nothing in these states, whatever the guard of the chart says. */
export type Refused = {
  states: readonly string[];
  event: AnyEventObject;
  why: string;
  /** Only where this holds, told by what was answered, addressed or begun with. */
  when?: (snapshot: AnyMachineSnapshot) => boolean;
};

/** Which of these events are taken, or are refused in states that are not reached. */
export function takenAfterAll(walks: readonly Pick<Walk, 'situations'>[], refused: readonly Refused[]): string[] {
  const situations = walks.flatMap((walk) => walk.situations());
  return refused.flatMap(({ states, event, when = () => true }) =>
    states.flatMap((state) => {
      const here = situations.filter((snapshot) => isIn(snapshot, state) && when(snapshot));
      if (here.length === 0) return [`'${event.type}' in ${state}: no such situation is reached`];
      const takers = here.filter((snapshot) => snapshot.can(event));
      return [...new Set(takers.map((snapshot) => `${JSON.stringify(event)} is taken in ${leavesOf(snapshot)}`))];
    }),
  );
}

type Known = { walks: readonly Pick<Walk, 'situations' | 'tries'>[]; events: readonly string[] };
type Trial = { snapshot: AnyMachineSnapshot; event: string; taken: boolean };

/** The events that come from outside a machine: every descriptor of its configuration but those of its own children and clocks. */
export function knownEvents(machine: AnyStateMachine): string[] {
  const found = statesOf(machine.root).flatMap(({ transitions }) => [...transitions.keys()]);
  return [...new Set(found)].filter(
    (descriptor) => descriptor !== '*' && descriptor !== '' && !descriptor.startsWith('xstate.'),
  );
}

/** Each known event in each situation that is reached: whether the chart takes it in any of the forms it is tried with. */
export function tryEverything({ walks, events }: Known): Trial[] {
  const found = walks.map((each) => each.situations());
  return events.flatMap((event) => {
    // What a walk leaves to another is tried as that other one does; what the chart raises itself is tried bare.
    const forms = new Map<string, AnyEventObject>();
    for (const [index, { tries }] of walks.entries()) {
      for (const snapshot of found[index] ?? [])
        for (const form of tries(event, snapshot)) forms.set(JSON.stringify(form), form);
    }
    const tried = forms.size > 0 ? [...forms.values()] : [{ type: event }];
    return found.flat().map((snapshot) => ({ snapshot, event, taken: tried.some((form) => snapshot.can(form)) }));
  });
}

/** The leaves of a situation. */
const leavesOf = once((snapshot: AnyMachineSnapshot) => stateNames(snapshot).replaceAll(', ', ' & '));

/**
 * What is wrong with a list: events passed over that it doesn't name, and entries that are taken, not reached or unknown.
 * An empty answer says that the list is exact.
 */
export function holes(all: readonly Trial[], ignored: readonly Ignored[]): string[] {
  // Situations in the same states differ in nothing that a list can tell.
  const trials = [
    ...new Map(all.map((one) => [`${one.event} ${one.taken} ${leavesOf(one.snapshot)}`, one] as const)).values(),
  ];
  const unlisted = trials.filter(
    ({ taken, event, snapshot }) =>
      !taken &&
      !ignored.some(({ states, events }) => events.includes(event) && states.some((state) => isIn(snapshot, state))),
  );
  const lost = unlisted.map(({ event, snapshot }) => `'${event}' is lost in ${leavesOf(snapshot)}`);
  const wrong = ignored.flatMap(({ states, events, sometimes }) =>
    events.flatMap((event) =>
      states.flatMap((state) => {
        const name = `'${event}' in ${state || 'the machine'}`;
        const tried = trials.filter((trial) => trial.event === event);
        if (tried.length === 0) return [`${name}: no such event`];
        const here = tried.filter(({ snapshot }) => isIn(snapshot, state));
        if (here.length === 0) return [`${name}: no such state is reached`];
        if (here.every(({ taken }) => taken)) return [`${name}: is taken`];
        const isBoth = here.some(({ taken }) => taken);
        if (isBoth && !sometimes) return [`${name}: is sometimes taken`];
        if (!isBoth && sometimes) return [`${name}: is never taken`];
        return [];
      }),
    ),
  );
  return [...new Set([...lost, ...wrong])];
}
