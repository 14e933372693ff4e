import { EMPTY, type Model, receive } from './model.ts';
import { type Channel, CONNECTED, isDisconnectedMessage, isInspectionMessage } from './protocol.ts';

export type Store = {
  current: () => Model;
  subscribe: (changed: () => void) => () => void;
  update: (change: (model: Model) => Model) => void;
};

/** The page's model, fed by the channel. Notifies listeners once per `schedule`d run, however many messages arrived. */
export function createStore(
  channel: Channel,
  schedule: (run: () => void) => void = (run) => void requestAnimationFrame(run),
): Store {
  const listeners = new Set<() => void>();
  let model = EMPTY;
  let shown = EMPTY;
  let isScheduled = false;
  const publish = () => {
    isScheduled = false;
    shown = model;
    for (const listener of listeners) listener();
  };
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (!isInspectionMessage(data) && !isDisconnectedMessage(data)) return;
    model = receive(model, data);
    if (isScheduled) return;
    isScheduled = true;
    schedule(publish);
  });
  channel.postMessage({ type: CONNECTED });
  return {
    current: () => shown,
    subscribe: (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    update: (change) => {
      model = change(model);
      publish();
    },
  };
}
