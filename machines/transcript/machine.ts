// Models the text of a live session as it grows: final tokens stay for good, pending ones are replaced by every message.
// Owned by `live`, which outlives many sessions and clears it on reset.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { LiveToken } from '#contract/live.ts';
import { append, EMPTY, receive, SEPARATOR, type TranscriptRecord } from './record.ts';

export type TranscriptEvent = { type: 'tokens.received'; tokens: readonly LiveToken[] } | { type: 'separator.appended' } | { type: 'transcript.cleared' };

export const transcriptMachine = setup({
  types: {} as { context: TranscriptRecord; events: TranscriptEvent },
  actions: {
    receive: assign(({ context }, { tokens }: { tokens: readonly LiveToken[] }) => receive(context, tokens)),
    // What never became final is gone: the session that could have confirmed it is over.
    separate: assign(({ context }) => ({ ...append(context, [SEPARATOR]), pending: [] })),
    clear: assign(EMPTY),
  },
}).createMachine({
  id: 'transcript',
  context: EMPTY,
  initial: 'open',
  states: {
    open: {
      on: {
        'tokens.received': { actions: { type: 'receive', params: ({ event }) => event } },
        'separator.appended': { actions: 'separate' },
        'transcript.cleared': { actions: 'clear' },
      },
    },
  },
});

export type TranscriptActor = ActorRefFrom<typeof transcriptMachine>;
