import type { AnyActorLogic } from 'xstate';

/**
 * Actor logic that is fetched later. It may be provided to a chart at once; it must have arrived before the chart starts
 * an actor from it, which the chart sees to by fetching first.
 */
export function lateLogic<Logic extends AnyActorLogic>(name: string): { logic: Logic; arrive: (real: Logic) => void } {
  let arrived: Logic | undefined;
  const stand: object = {};
  // An actor reads its logic member by member, so all of them come from what has arrived.
  const logic = new Proxy(stand, {
    get(_, member) {
      if (!arrived) throw new Error(`Actor '${name}' has not been fetched.`);
      return Reflect.get(arrived, member);
    },
  }) as Logic;
  return {
    logic,
    arrive: (real) => {
      arrived = real;
    },
  };
}
