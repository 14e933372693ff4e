import { sendParent, type EventObject } from 'xstate';

/** The shape that `setup` infers an action's parameters from. */
type Telling<Told> = (scope: unknown, told: Told) => void;

/**
 * An action that tells the actor's parent something: `sendParent`, typed. Who runs the chart without a parent provides
 * another action in its place; else it fails, since what was told would be lost.
 */
export function tellParent<Told extends EventObject>(): Telling<Told> {
  const action = sendParent((_, told: Told) => told);
  // Built-in actions carry the chart's whole type, which is not known here; `setup` needs the parameters only.
  return action as unknown as Telling<Told>;
}
