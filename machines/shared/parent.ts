import { enqueueActions, type AnyActorRef, type EventObject } from 'xstate';

/** The shape that `setup` infers an action's parameters from. */
type Telling<Told> = (scope: { self: AnyActorRef }, told: Told) => void;

/**
 * An action that tells the actor's parent something, if there is one. Unlike `sendParent` it is typed, and a machine that
 * runs alone (tests, path traversal) needs no parent.
 */
export function tellParent<Told extends EventObject>(): Telling<Told> {
  const action = enqueueActions(({ enqueue, self }, told: Told) => {
    const parent = parentOf(self);
    if (parent) enqueue.sendTo(parent, told);
  });
  // Built-in actions carry the chart's whole type, which is not known here; `setup` needs the parameters only.
  return action as unknown as Telling<Told>;
}

const parentOf = (actor: AnyActorRef): AnyActorRef | undefined =>
  '_parent' in actor && isActor(actor._parent) ? actor._parent : undefined;

function isActor(value: unknown): value is AnyActorRef {
  return typeof value === 'object' && value !== null && 'send' in value;
}
