import { describe, expect, it } from 'vitest';
import { createActor, StateMachine, type AnyStateMachine, type StateValue } from 'xstate';
import { allCharts } from '../../scripts/actor-tree.ts';

const charts = allCharts();

/** Each chart with one of its children, and a state that owns it. */
const children = charts.flatMap(({ machine, children: owned }) =>
  owned.map((child) => ({
    machine,
    ...child,
    isChart: machine.implementations.actors[child.src] instanceof StateMachine,
  })),
);

/** What a chart does about the failure of a child: the transitions of the state that owns it and of all around that. */
function answers(
  machine: AnyStateMachine,
  id: string,
  path: string,
): { target: unknown; actions: readonly unknown[] }[] {
  const steps = path === 'always' || path === 'spawned' ? [] : path.split('.');
  return [[], ...steps.map((_, index) => steps.slice(0, index + 1))].flatMap((each) => {
    const node = each.reduce((outer, key) => outer.states[key] ?? outer, machine.root);
    return [...node.transitions].flatMap(([type, transitions]) =>
      type === `xstate.error.actor.${id}` ? [...transitions] : [],
    );
  });
}

/** The value of the state at a path, as far as the path tells it. */
const valueAt = (machine: AnyStateMachine, path: string): StateValue =>
  path === 'always' || path === 'spawned'
    ? (machine.root.initial?.target[0]?.key ?? {})
    : path
        .split('.')
        .reduceRight<StateValue>((inner, key) => (Object.keys(inner).length > 0 ? { [key]: inner } : key), {});

/** How the chart is after the failure of a child that lives in the state at the path. */
function afterFailure(machine: AnyStateMachine, id: string, path: string) {
  const actor = createActor(machine, {
    snapshot: machine.resolveState({ value: valueAt(machine, path), context: {} }),
  });
  actor.subscribe({ error: () => undefined });
  actor.start().send({ type: `xstate.error.actor.${id}`, error: new Error('A defect.') });
  return actor.getSnapshot();
}

describe('SHL-11, CON-28: what fails is handled where it means something, or ends on the error screen', () => {
  const owned = children.flatMap(({ machine, id, states, isChart }) =>
    states.map((state) => [machine.id, id, state, isChart, machine] as const),
  );

  it.each(owned.filter(([, , , isChart]) => isChart))(
    '%s lets a defect of its chart %s in %s through to the root',
    (_name, id, state, _isChart, machine) => {
      expect(answers(machine, id, state)).toEqual([]);
      expect(afterFailure(machine, id, state)).toMatchObject(
        machine.id === 'root'
          ? { value: 'crashed', context: { failure: { message: 'A defect.' } } }
          : { status: 'error' },
      );
    },
  );

  it.each(owned.filter(([, , , isChart]) => !isChart))(
    '%s does something about a failure of its effect %s in %s, or lets it through',
    (_name, id, state, _isChart, machine) => {
      for (const { target, actions } of answers(machine, id, state))
        expect(target !== undefined || actions.length > 0).toBe(true);
    },
  );
});
