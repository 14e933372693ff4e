import { fromCallback, fromPromise, type AnyActorLogic, type EventObject, type NonReducibleUnknown } from 'xstate';

type Kind = 'promise' | 'callback';

const kinds = new WeakMap<AnyActorLogic, Kind>();

/** The kind of actor that a placeholder stands for; undefined for provided actors. */
export const placeholderKind = (logic: AnyActorLogic): Kind | undefined => kinds.get(logic);

/** Placeholder of a promise actor; rejects with the actor's name until a real one is provided. */
export function promisePlaceholder<Output, Input extends NonReducibleUnknown = void>(name: string) {
  const logic = fromPromise<Output, Input>(() => Promise.reject(new Error(`Actor '${name}' is not provided.`)));
  kinds.set(logic, 'promise');
  return logic;
}

/** Placeholder of a callback actor that receives `Command`; throws the actor's name until a real one is provided. */
export function callbackPlaceholder<Command extends EventObject, Input extends NonReducibleUnknown = void>(
  name: string,
) {
  const logic = fromCallback<Command, Input>(() => {
    throw new Error(`Actor '${name}' is not provided.`);
  });
  kinds.set(logic, 'callback');
  return logic;
}
