import type { ToastRequested } from '../shared/appServices.ts';
import { toFailure } from '../shared/failure.ts';

/** An action with a success toast, for charts with the action `sendToApp`. */
export const success = (text: string) => ({ type: 'sendToApp', params: successToast(text) }) as const;

/** A success toast, as an event. */
export const successToast = (text: string): ToastRequested => ({ type: 'toast.requested', kind: 'success', text });

/** An error toast, as an event: the sentence `text`, then the failure's message. */
export const failureToast = (text: string, error: unknown): ToastRequested => ({
  type: 'toast.requested',
  kind: 'error',
  text: `${text} ${toFailure(error).message}`,
});

/** An action with the toast of {@link failureToast}, for an actor's error event. */
export const failure = (text: string) =>
  ({
    type: 'sendToApp',
    params: ({ event: { error } }: { event: { error: unknown } }) => failureToast(text, error),
  }) as const;
