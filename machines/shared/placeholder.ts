import { fromCallback, fromPromise, type AnyActorLogic, type EventObject, type NonReducibleUnknown } from 'xstate';

type Kind = 'promise' | 'callback';

const kinds = new WeakMap<AnyActorLogic, Kind>();

/** What kind of actor this stands for; undefined where the real one has been provided. */
export const placeholderKind = (logic: AnyActorLogic): Kind | undefined => kinds.get(logic);

/** Stands for a promise actor until the root provides the real one; rejects with the actor's own name. */
export function promisePlaceholder<Output, Input extends NonReducibleUnknown = void>(name: string) {
  const logic = fromPromise<Output, Input>(() => Promise.reject(new Error(`Actor '${name}' is not provided.`)));
  kinds.set(logic, 'promise');
  return logic;
}

/** Stands for a callback actor (`Command`: what it receives) until the root provides the real one; throws its own name. */
export function callbackPlaceholder<Command extends EventObject, Input extends NonReducibleUnknown = void>(
  name: string,
) {
  const logic = fromCallback<Command, Input>(() => {
    throw new Error(`Actor '${name}' is not provided.`);
  });
  kinds.set(logic, 'callback');
  return logic;
}
