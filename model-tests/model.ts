import { isDeepStrictEqual } from 'node:util';
import { TestModel, type TestPath } from '@xstate/graph';
import {
  createActor,
  fromCallback,
  SimulatedClock,
  type ActorLogic,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyTransitionDefinition,
} from 'xstate';
import { statesOf } from '#test/machines/states.ts';

export type Path = TestPath<AnyMachineSnapshot, AnyEventObject>;

/**
 * By name what is tried of an event, also where a state only swallows it: what the event carries, or the whole event; of `done NAME` and
 * `failed NAME` what that child answers. A function sees the snapshot.
 */
export type Cases = Readonly<
  Record<string, readonly unknown[] | ((snapshot: AnyMachineSnapshot) => readonly unknown[])>
>;

export type WalkOptions = {
  /** The machine's input. */
  input?: unknown;
  /** What this walk is called beside others of the machine, for failures. */
  variant?: string;
  /** What is tried of each event that a state handles. One without an entry is sent bare; wildcards (`*`) need an entry. */
  cases?: Cases;
  /** What of the context guards look at: two situations that differ in it are told apart. Keep it small. */
  distinguish?: (snapshot: AnyMachineSnapshot) => unknown;
  /**
   * For charts whose parallel regions multiply: ways into a situation are told apart by the transitions that the event takes,
   * not by each pair of event and origin. Transitions that only a raised event takes may need the full walk.
   */
  merge?: boolean;
  /** Per state (`'signedIn.fresh'`) what must hold there, checked on the running actor at every step. */
  states?: Record<string, (snapshot: AnyMachineSnapshot) => void>;
  /** More situations than this throw: a sign that `distinguish` lets something grow. */
  limit?: number;
};

/** What the child `id` answers, as the event that its parent gets. */
export const doneBy = (id: string, output?: unknown): AnyEventObject => ({ type: `xstate.done.actor.${id}`, output });
/** The failure of the child `id`, as the event that its parent gets. */
export const failedBy = (id: string, error: unknown): AnyEventObject => ({ type: `xstate.error.actor.${id}`, error });
/** What a child may fail with that nobody has foreseen. */
export const FAILURE = new Error('It failed.');

type Events = Record<string, readonly AnyEventObject[] | ((snapshot: AnyMachineSnapshot) => readonly AnyEventObject[])>;

/** Cases by the types of their events, all of them whole. */
export function eventsIn(cases: Cases = {}): Events {
  return Object.fromEntries(
    Object.entries(cases).map(([name, given]) => {
      const [, outcome, child = ''] = /^(done|failed) (.+)$/.exec(name) ?? [];
      const answer = outcome === 'done' ? doneBy : failedBy;
      const whole = (one: unknown): AnyEventObject =>
        outcome ? answer(child, one) : { type: name, ...(one as Partial<AnyEventObject>) };
      const type = outcome ? whole(undefined).type : name;
      return [type, typeof given === 'function' ? (at) => given(at).map(whole) : given.map(whole)];
    }),
  );
}

/** A path as a title: `call.starting → done refreshTokens → after expiry`. */
export function titleOf(path: Path): string {
  const names = path.steps.map(({ event }) =>
    event.type
      .replace(/^xstate\.(done|error)\.actor\.(.+)$/, '$1 $2')
      .replace(/^xstate\.after\.([^.]+)\..*/, 'after $1'),
  );
  return names.join(' → ');
}

/** The leaves that a snapshot is in: `keys.ready.listed, revocation.idle`. */
export function stateNames(snapshot: AnyMachineSnapshot): string {
  const leaves = snapshot._nodes.filter(({ type }) => type === 'atomic' || type === 'final');
  return leaves.map(({ path }) => path.join('.')).join(', ');
}

/** Remembers what was made of an object. */
export function once<Key extends object>(make: (of: Key) => string): (of: Key) => string {
  const made = new WeakMap<Key, string>();
  return (of) => {
    const text = made.get(of) ?? make(of);
    made.set(of, text);
    return text;
  };
}

/** As JSON, in which an error has its message, too. */
const written = once((event: AnyEventObject) =>
  JSON.stringify(event, (_key, value: unknown) =>
    value instanceof Error ? { message: value.message, failure: Reflect.get(value, 'failure') } : value,
  ),
);

/** The beginning of what an event carries, for people: ` {"size":101}`; nothing where it carries nothing. */
function carriedBy({ type: _type, ...carried }: AnyEventObject): string {
  const text = JSON.stringify(carried, (_key, value: unknown) => (value instanceof Error ? value.message : value));
  if (text === '{}') return '';
  return text.length > 100 ? ` ${text.slice(0, 100)}…` : ` ${text}`;
}

/** A path as a scenario, a line a step: `Given keys.loading`, `When done loadKeys {"output":[]}`, `Then keys.ready.empty`. */
export function scenarioOf(path: Path): string {
  const [first, ...steps] = path.steps;
  const lines = steps.flatMap((step) => [
    `When ${titleOf({ ...path, steps: [step] })}${carriedBy(step.event)}`,
    `Then ${stateNames(step.state)}`,
  ]);
  return [...(first ? [`Given ${stateNames(first.state)}`] : []), ...lines].join('\n');
}

/** What a path has thrown at that step; its message also tells the way there. */
function failureAt(path: Path, index: number, thrown: unknown, variant?: string): Error {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const way = scenarioOf({ ...path, steps: path.steps.slice(0, index + 1) });
  error.message += `\n\nOn this path${variant ? ` of '${variant}'` : ''}:\n${way}\n`;
  return error;
}

/** The machine with every actor made inert: it accepts events and never answers, so only the path moves the chart. */
function inert(machine: AnyStateMachine): AnyStateMachine {
  const silent = fromCallback(() => undefined);
  const names = Object.keys(machine.implementations.actors);
  const subject = machine.provide({
    actors: Object.fromEntries(names.map((name) => [name, silent])),
    // There is no parent to tell anything.
    actions: { notifyParent: () => undefined },
  });
  // The snapshots of a walk share a system, where a name is given once; nobody asks for silent actors by name.
  for (const { invoke } of statesOf(subject.root))
    for (const invoked of invoke) Reflect.deleteProperty(invoked, 'systemId');
  return subject;
}

type Declared = { transition: AnyTransitionDefinition; name: string };

function declaredTransitions(machine: AnyStateMachine): Declared[] {
  return statesOf(machine.root).flatMap((node) =>
    [...[...node.transitions.values()].flat(), ...(node.always ?? [])].map((transition) => {
      const targets = transition.target?.map((target) => target.id).join(', ') ?? '(stays)';
      const guard = transition.guard ? ` if ${describeGuard(transition.guard)}` : '';
      return { transition, name: `${node.id} —${transition.eventType || 'always'}${guard}→ ${targets}` };
    }),
  );
}

function describeGuard(guard: unknown): string {
  if (typeof guard === 'string') return guard;
  if (typeof guard === 'object' && guard !== null && 'type' in guard && typeof guard.type === 'string')
    return guard.type;
  return 'a guard';
}

export type Walk = {
  /** Shortest paths that reach every situation by every way that leads there. */
  paths: Path[];
  /** Runs one path on a real actor; throws if the actor leaves the path or fails. Returns the transitions taken. */
  play: (path: Path) => ReadonlySet<AnyTransitionDefinition>;
  /** The path with the snapshots of a real run: those of the model may differ from it in what `distinguish` leaves out. */
  retrace: (path: Path) => Path;
  /** Every situation that is reached and has not ended. */
  situations: () => AnyMachineSnapshot[];
  /** What a descriptor is tried with in a situation, also where nothing takes it. */
  tries: (descriptor: string, snapshot: AnyMachineSnapshot) => AnyEventObject[];
  /** Plays these paths, by default all; names the declared transitions (also `always` and child answers) that none takes. */
  unwalked: (by?: readonly Path[]) => string[];
};

function shortestPaths(model: TestModel<AnyMachineSnapshot, AnyEventObject, unknown>, chart: string): Path[] {
  try {
    return model.getShortestPaths();
  } catch (error) {
    throw new Error(`No paths of '${chart}': ${String(error)}`, { cause: error });
  }
}

/** The walkable model of a product machine: same chart, silent actors. */
export function walk(machine: AnyStateMachine, options: WalkOptions = {}): Walk {
  const subject = inert(machine);
  const situation = once((snapshot: AnyMachineSnapshot) =>
    JSON.stringify([snapshot.value, snapshot.status, options.distinguish?.(snapshot)]),
  );
  const known = eventsIn(options.cases);
  const tries: Walk['tries'] = (descriptor, snapshot) => {
    const cases = known[descriptor];
    if (cases) return typeof cases === 'function' ? [...cases(snapshot)] : [...cases];
    if (descriptor.includes('*')) throw new Error(`The wildcard '${descriptor}' needs an entry in cases.`);
    return [{ type: descriptor }];
  };
  const expanded = new Set<string>();
  const eventsOf = (snapshot: AnyMachineSnapshot): AnyEventObject[] => {
    // Whichever way led into a situation, it goes on from there alike.
    if (snapshot.status !== 'active' || expanded.has(situation(snapshot))) return [];
    expanded.add(situation(snapshot));
    return [...new Set(snapshot._nodes.flatMap((node) => [...node.transitions.keys()]))]
      .flatMap((descriptor) => {
        // Raised by the machine itself when a compound state reaches its final state.
        if (descriptor.startsWith('xstate.done.state.')) return [];
        return tries(descriptor, snapshot);
      })
      .filter((event) => (snapshot.machine.getTransitionData(snapshot, event)?.length ?? 0) > 0);
  };

  const declared = declaredTransitions(subject);
  const numbers = new Map(declared.map(({ transition }, index) => [transition, index]));
  const ways = new Map<string, string>();
  const wayFrom = (from: AnyMachineSnapshot, event: AnyEventObject): string => {
    const way = `${written(event)} in ${situation(from)}`;
    if (!options.merge) return way;
    // The first answer is kept: snapshots of one situation may differ in what `distinguish` leaves out.
    const known =
      ways.get(way) ?? String(subject.getTransitionData(from, event)?.map((transition) => numbers.get(transition)));
    ways.set(way, known);
    return known;
  };

  // The logic's own type is wider than what the model asks for: a machine of unknown types.
  const logic = subject as unknown as ActorLogic<AnyMachineSnapshot, AnyEventObject, unknown>;
  const model = new TestModel<AnyMachineSnapshot, AnyEventObject, unknown>(logic, {
    input: options.input,
    events: eventsOf,
    // A situation is told apart by what led there, so that the paths cover transitions, not only states.
    serializeState: (snapshot, event, previous) =>
      event && previous ? `${situation(snapshot)} by ${wayFrom(previous, event)}` : situation(snapshot),
    serializeEvent: written,
    limit: options.limit ?? 3000,
  });
  const paths = shortestPaths(model, machine.id);

  const run = (
    path: Path,
    onStep: (snapshot: AnyMachineSnapshot) => void = () => undefined,
  ): Set<AnyTransitionDefinition> => {
    const taken = new Set<AnyTransitionDefinition>();
    const actor = createActor(subject, {
      input: options.input,
      clock: new SimulatedClock(),
      inspect: (inspected) => {
        if (inspected.type === '@xstate.microstep')
          for (const transition of inspected._transitions) taken.add(transition);
      },
    });
    // Without an observer an actor reports its failure as an uncaught exception; here the status tells.
    actor.subscribe({ error: () => undefined });
    actor.start();
    for (const [index, step] of path.steps.entries()) {
      try {
        if (index > 0) actor.send(step.event);
        const snapshot: AnyMachineSnapshot = actor.getSnapshot();
        if (snapshot.status === 'error') throw snapshot.error;
        if (!isDeepStrictEqual(snapshot.value, step.state.value))
          throw new Error(`The chart is in ${JSON.stringify(snapshot.value)} instead.`);
        onStep(snapshot);
      } catch (error) {
        throw failureAt(path, index, error, options.variant);
      }
    }
    actor.stop();
    return taken;
  };

  // A path takes the same transitions whenever it is played.
  const takenBy = new Map<Path, ReadonlySet<AnyTransitionDefinition>>();
  const play: Walk['play'] = (path) => {
    const taken = run(path, (snapshot) => {
      for (const [state, check] of Object.entries(options.states ?? {})) if (isIn(snapshot, state)) check(snapshot);
    });
    takenBy.set(path, taken);
    return taken;
  };

  const retrace: Walk['retrace'] = (path) => {
    const snapshots: AnyMachineSnapshot[] = [];
    run(path, (snapshot) => snapshots.push(snapshot));
    return { ...path, steps: path.steps.map((step, index) => ({ ...step, state: snapshots[index] ?? step.state })) };
  };

  const unwalked: Walk['unwalked'] = (by = paths) => {
    // Short paths come first: what fails is told at the end of a short way.
    const inOrder = [...by].sort((a, b) => a.steps.length - b.steps.length);
    const taken = new Set(inOrder.flatMap((path) => [...(takenBy.get(path) ?? play(path))]));
    return declared.filter(({ transition }) => !taken.has(transition)).map(({ name }) => name);
  };

  const situations: Walk['situations'] = () => {
    const found = paths
      .flatMap(({ steps }) => steps.map(({ state }) => state))
      .filter(({ status }) => status === 'active');
    return [...new Map([...new Set(found)].map((snapshot) => [situation(snapshot), snapshot])).values()];
  };

  return { paths, play, retrace, situations, tries, unwalked };
}

const statesIn = new WeakMap<AnyMachineSnapshot, ReadonlySet<string>>();

/** Whether the snapshot is in the state of that dotted path; `''` is the whole machine. */
export function isIn(snapshot: AnyMachineSnapshot, state: string): boolean {
  const known = statesIn.get(snapshot);
  if (known) return known.has(state);
  const states = new Set(snapshot._nodes.map(({ path }) => path.join('.')));
  statesIn.set(snapshot, states);
  return states.has(state);
}
