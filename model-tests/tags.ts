/** Which tags a chart has in which of its states: what its views look for, said without the chart. */
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import { statesOf } from '#test/machines/states.ts';
import { isIn, type Walk } from './model.ts';

/** By tag the states (dotted paths; `''` is the whole machine) in which it is there, and in no other. */
export type Tags = Readonly<Record<string, readonly string[]>>;

/** What is wrong with a list, by the situations that are reached; an empty answer says that it is exact. */
export function mistagged(machine: AnyStateMachine, walks: readonly Pick<Walk, 'situations'>[], tags: Tags): string[] {
  const where = (snapshot: AnyMachineSnapshot) => JSON.stringify(snapshot.value);
  const reached = walks.flatMap((walk) => walk.situations());
  // Tags are those of the states.
  const situations = [...new Map(reached.map((snapshot) => [where(snapshot), snapshot] as const)).values()];
  const found = [
    ...new Set([...statesOf(machine.root).flatMap((state) => state.tags.map(String)), ...Object.keys(tags)]),
  ].flatMap((tag) => {
    const states = tags[tag] ?? [];
    const unreached = states.filter((state) => !situations.some((snapshot) => isIn(snapshot, state)));
    const wrong = situations.flatMap((snapshot) => {
      const isWanted = states.some((state) => isIn(snapshot, state));
      if (snapshot.hasTag(tag) === isWanted) return [];
      return [`'${tag}' is ${isWanted ? 'missing' : 'there'} in ${where(snapshot)}`];
    });
    return [...unreached.map((state) => `'${tag}' in ${state}: no such state is reached`), ...wrong];
  });
  return [...new Set(found)];
}
