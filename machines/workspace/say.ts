import type { ToastRequested } from '../root/toasts/machine.ts';
import { toFailure } from '../shared/failure.ts';

/** An action of a chart with `announce`: what has come about. */
export const success = (text: string) => ({ type: 'announce', params: done(text) }) as const;

/** The same, to be announced. */
export const done = (text: string): ToastRequested => ({ type: 'toast.requested', kind: 'success', text });

/** What did not come about, and why: `text` is a sentence, which that of the failure follows. */
export const because = (text: string, error: unknown): ToastRequested => ({
  type: 'toast.requested',
  kind: 'error',
  text: `${text} ${toFailure(error).message}`,
});

/** {@link because}, as an action of a chart with `announce`, where an actor has failed. */
export const failure = (text: string) =>
  ({
    type: 'announce',
    params: ({ event: { error } }: { event: { error: unknown } }) => because(text, error),
  }) as const;
