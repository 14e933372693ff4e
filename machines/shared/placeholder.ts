import { fromCallback, fromPromise, type EventObject, type NonReducibleUnknown } from 'xstate';

/** Stands for a promise actor until the root provides the real one; rejects with the actor's own name. */
export function promisePlaceholder<Output, Input extends NonReducibleUnknown = void>(name: string) {
  return fromPromise<Output, Input>(() => Promise.reject(new Error(`Actor '${name}' is not provided.`)));
}

/** Stands for a callback actor (`Command`: what it receives) until the root provides the real one; throws its own name. */
export function callbackPlaceholder<Command extends EventObject, Input extends NonReducibleUnknown = void>(name: string) {
  return fromCallback<Command, Input>(() => {
    throw new Error(`Actor '${name}' is not provided.`);
  });
}
