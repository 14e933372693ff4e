import { expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { allCharts } from '../../scripts/actor-tree.ts';
import { statesOf } from './states.ts';

/** The names of actions and guards in a part of a chart's description, however deep: a name, an object with a type, a combined guard. */
function namesIn(part: unknown, into: Set<string>): Set<string> {
  if (typeof part === 'string') into.add(part);
  else if (Array.isArray(part)) for (const one of part) namesIn(one, into);
  else if (typeof part === 'function') namesIn(Reflect.get(part, 'guards'), into);
  else if (typeof part === 'object' && part !== null) namesIn(Reflect.get(part, 'type'), into);
  return into;
}

function used(machine: AnyStateMachine): Set<string> {
  const names = new Set<string>();
  for (const node of statesOf(machine.root)) {
    namesIn([node.entry, node.exit, node.initial.actions], names);
    for (const { actions, guard } of [...[...node.transitions.values()].flat(), ...(node.always ?? [])])
      namesIn([actions, guard], names);
  }
  // A guard may be made of others.
  return namesIn(Object.values(machine.implementations.guards), names);
}

/** Names that come with a set which several kinds of charts take over whole. */
const TAKEN_OVER = new Set(['isLeft', 'wantSteps', 'isInSteps']);

it('each action and guard that a chart has a name for is used in it, or in a chart of the same kind', () => {
  const kinds = new Map<string, { id: string; names: readonly string[]; used: Set<string> }>();
  for (const { machine } of allCharts()) {
    const { actions, guards } = machine.implementations;
    const names = [...Object.keys(actions), ...Object.keys(guards)];
    const kind = names.toSorted().join(' ');
    const known = kinds.get(kind)?.used ?? [];
    kinds.set(kind, { id: machine.id, names, used: new Set([...known, ...used(machine)]) });
  }
  const idle = [...kinds.values()].flatMap(({ id, names, used: known }) =>
    names
      .filter((name) => !known.has(name) && !TAKEN_OVER.has(name))
      .map((name) => `${id}: use '${name}', or remove it`),
  );
  expect(idle).toEqual([]);
});
