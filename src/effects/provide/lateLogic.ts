import type { AnyActorLogic } from 'xstate';

/**
 * Actor logic that is fetched later. A chart can be given it at once. The chart must fetch the real logic before it
 * starts an actor from it.
 */
export function lateLogic<Logic extends AnyActorLogic>(name: string): { logic: Logic; arrive: (real: Logic) => void } {
  let fetched: Logic | undefined;
  const target: object = {};
  // An actor reads its logic member by member, so each member is taken from the real logic.
  const logic = new Proxy(target, {
    get(_, member) {
      if (!fetched) throw new Error(`Actor '${name}' has not been fetched.`);
      return Reflect.get(fetched, member);
    },
  }) as Logic;
  return {
    logic,
    arrive: (real) => {
      fetched = real;
    },
  };
}
