/** What a file of path tests lacks, told before a browser starts. Knows nothing of Playwright. */
import type { AnyEventObject, AnyMachineSnapshot, AnyStateMachine, EventFromLogic, StateValueFrom } from 'xstate';
import { isIn, type Path } from '../model.ts';

/** Dotted paths of the states in a state value: `'keys' | 'keys.loading'`. */
type Dotted<Value> = Value extends string
  ? Value
  : Value extends object
    ? { [Key in keyof Value & string]: Key | `${Key}.${Dotted<NonNullable<Value[Key]>>}` }[keyof Value & string]
    : never;

/** The states of a machine; a misspelt one does not compile. */
export type StateOf<Machine extends AnyStateMachine> = Dotted<StateValueFrom<Machine>>;

/** The events of a machine, and what its children and timers answer, which `gaps` checks by name. */
export type EventOf<Machine extends AnyStateMachine> = EventFromLogic<Machine>['type'] | `xstate.${string}`;

/** Makes the event of a step happen, as the user or the network would. */
export type Executor<Event extends AnyEventObject = AnyEventObject> = {
  // As a method, so that one of a certain event can stand among those of any.
  make(event: Event, before: AnyMachineSnapshot | null, after: AnyMachineSnapshot): Promise<void>;
}['make'];

/** Per event of the machine, with its payload; `xstate.init` opens what the chart begins with. */
export type Executors<Machine extends AnyStateMachine> = {
  [Own in EventFromLogic<Machine> as Own['type']]?: Executor<Own>;
} & { [type: `xstate.${string}`]: Executor };

type Written = {
  executors: object;
  expectations: object;
  transientStates?: readonly string[] | undefined;
  transientEvents?: readonly string[] | undefined;
};

const statesOf = (node: AnyStateMachine['root']): string[] => [
  node.path.join('.'),
  ...Object.values(node.states).flatMap(statesOf),
];

/** Sentences that say what to add or to remove, none where the paths can be run. */
export function gaps(machine: AnyStateMachine, paths: readonly Path[], written: Written): string[] {
  const { transientStates = [], transientEvents = [] } = written;
  const executors = Object.keys(written.executors);
  const expectations = Object.keys(written.expectations);
  const events = new Set<string>(['xstate.init', ...machine.events.map(String)]);
  const states = new Set(statesOf(machine.root));
  const steps = paths.flatMap((path) => path.steps);
  const found = new Set<string>();
  for (const { event, state } of steps) {
    if (!executors.includes(event.type))
      found.add(`Add an executor for the event '${event.type}': a path of '${machine.id}' takes it.`);
    if (transientEvents.includes(event.type) || transientStates.some((name) => isIn(state, name))) continue;
    if (!expectations.some((name) => isIn(state, name)))
      found.add(`Add an expectation for the state ${JSON.stringify(state.value)} of '${machine.id}'.`);
  }
  for (const name of [...executors, ...transientEvents])
    if (!events.has(name)) found.add(`The machine '${machine.id}' has no event '${name}'.`);
  for (const name of [...expectations, ...transientStates])
    if (!states.has(name)) found.add(`The machine '${machine.id}' has no state '${name}'.`);
  return [...found];
}
