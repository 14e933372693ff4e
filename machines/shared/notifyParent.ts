import { sendParent, type EventObject } from 'xstate';

/** The shape that `setup` infers an action's parameters from. */
type NotifyParent<Notice> = (scope: unknown, notice: Notice) => void;

/**
 * An action that sends an event to the actor's parent: a typed `sendParent`. It fails without a parent, so a test that
 * runs the chart alone provides another action in its place.
 */
export function notifyParent<Notice extends EventObject>(): NotifyParent<Notice> {
  const action = sendParent((_, notice: Notice) => notice);
  // Built-in actions carry the chart's whole type, which is not known here; `setup` needs the parameters only.
  return action as unknown as NotifyParent<Notice>;
}
