// Models the text of a live session as it grows: final tokens stay for good, pending ones are replaced by every message.
// Owned by `live`, which outlives many sessions and clears it on reset.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { LiveToken } from '#contract/live.ts';
import { closeRecord, EMPTY, receive, type TranscriptRecord } from './record.ts';
import { given } from '../../shared/given.ts';

export type TranscriptEvent =
  | { type: 'tokens.received'; tokens: readonly LiveToken[] }
  | { type: 'session.closed'; how: 'finished' | 'broken' }
  | { type: 'transcript.cleared' };

export const transcriptMachine = setup({
  types: {} as { context: TranscriptRecord; input: { record: TranscriptRecord }; events: TranscriptEvent },
  actions: {
    receive: assign(({ context }, { tokens }: { tokens: readonly LiveToken[] }) => receive(context, tokens)),
    close: assign(({ context }, { how }: { how: 'finished' | 'broken' }) => closeRecord(context, how)),
    clear: assign(EMPTY),
  },
}).createMachine({
  id: 'transcript',
  context: ({ input }) => input.record,
  initial: 'open',
  states: {
    open: {
      on: {
        'tokens.received': { actions: given('receive') },
        'session.closed': { actions: given('close') },
        'transcript.cleared': { actions: 'clear' },
      },
    },
  },
});

export type TranscriptActor = ActorRefFrom<typeof transcriptMachine>;
