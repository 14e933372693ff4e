import { fromCallback, StateMachine, type AnyActorLogic, type AnyStateMachine } from 'xstate';
import { placeholderKind } from '#machines/shared/placeholder.ts';

const silence = fromCallback(() => undefined);

/**
 * The chart, and every chart beneath it, with silence in place of the long-lived effects that a test says nothing of: the
 * clock, the keys, the list of devices. An effect that is missing is a defect, and ends its chart: what else it needs is given.
 */
export function silenced<Machine extends AnyStateMachine>(
  machine: Machine,
  given?: Parameters<Machine['provide']>[0]['actors'],
): Machine {
  const actors: Record<string, AnyActorLogic> = {};
  for (const [name, logic] of Object.entries(machine.implementations.actors)) {
    if (logic instanceof StateMachine) actors[name] = silenced(logic);
    else if (!('src' in logic) && placeholderKind(logic) === 'callback') actors[name] = silence;
  }
  return machine.provide({ actors: { ...actors, ...given } }) as Machine;
}
