import type { ToastRequested } from '../root/toasts/machine.ts';
import { toFailure } from '../shared/failure.ts';

/** An action of a chart with `sendToApp`: what has come about. */
export const success = (text: string) => ({ type: 'sendToApp', params: done(text) }) as const;

/** The same, as an event for the app. */
export const done = (text: string): ToastRequested => ({ type: 'toast.requested', kind: 'success', text });

/** What did not come about, and why: `text` is a sentence, which that of the failure follows. */
export const because = (text: string, error: unknown): ToastRequested => ({
  type: 'toast.requested',
  kind: 'error',
  text: `${text} ${toFailure(error).message}`,
});

/** {@link because}, as an action of a chart with `sendToApp`, where an actor has failed. */
export const failure = (text: string) =>
  ({
    type: 'sendToApp',
    params: ({ event: { error } }: { event: { error: unknown } }) => because(text, error),
  }) as const;
