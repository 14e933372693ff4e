import { sendParent, type EventObject } from 'xstate';

/** The shape that `setup` infers an action's parameters from. */
type NotifyParent<Notice> = (scope: unknown, notice: Notice) => void;

/**
 * An action that sends an event to the actor's parent: `sendParent`, typed. A test that runs the chart without a parent
 * provides another action in its place; else it fails, since the event would be lost.
 */
export function notifyParent<Notice extends EventObject>(): NotifyParent<Notice> {
  const action = sendParent((_, notice: Notice) => notice);
  // Built-in actions carry the chart's whole type, which is not known here; `setup` needs the parameters only.
  return action as unknown as NotifyParent<Notice>;
}
