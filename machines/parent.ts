import type { AnyActorRef, EventObject } from 'xstate';

/**
 * An action that tells the actor's parent something, if there is one. Unlike `sendParent` it is typed, and a machine that
 * runs alone (tests, path traversal) needs no parent.
 */
export function tellParent<Told extends EventObject>() {
  return ({ self }: { self: AnyActorRef }, told: Told): void => {
    if ('_parent' in self && isActor(self._parent)) self._parent.send(told);
  };
}

function isActor(value: unknown): value is AnyActorRef {
  return typeof value === 'object' && value !== null && 'send' in value;
}
