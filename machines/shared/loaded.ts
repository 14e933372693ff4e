// States for charts that load something before they show it.
import { UNREAD } from './unread.ts';
import { withEvent } from './withEvent.ts';

/**
 * Invokes the actor `load` with the input that `request` makes from the context. A failure leads to the state `failed`
 * and to the chart's action `setFailure`.
 */
export const reading = <const Load extends string, Context, Request, const Failed extends string, const Done>(
  load: Load,
  request: (context: Context) => Request,
  failed: Failed,
  onDone: Done,
) =>
  ({
    id: load,
    src: load,
    input: ({ context }: { context: Context }) => request(context),
    onDone,
    onError: { target: failed, actions: withEvent('setFailure') },
  }) as const;

/** The states `loading` and `failed`, with Retry, of a chart that shows nothing until `load` has answered. */
export const loadedStates = <const Load extends string, Context, Request, const Done>(
  load: Load,
  request: (context: Context) => Request,
  onDone: Done,
) =>
  ({
    loading: { tags: 'loading', invoke: reading(load, request, 'failed', onDone) },
    failed: { tags: 'failed', meta: UNREAD, on: { 'retry.requested': 'loading' } },
  }) as const;
