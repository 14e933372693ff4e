// Models the growing text of live sessions: final tokens stay, and every message replaces the pending ones.
// Owned by `live`, which clears it on reset.
import { assign, setup, type ActorRefFrom } from 'xstate';
import type { LiveToken } from '#contract/live.ts';
import type { TranscriptToken } from '#contract/transcriptions.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { closeRecord, EMPTY, receive, wordsSinceSeparator, type TranscriptRecord } from './record.ts';
import { withEvent } from '../../shared/withEvent.ts';

export type TranscriptEvent =
  | { type: 'tokens.received'; tokens: readonly LiveToken[] }
  | { type: 'session.closed'; how: 'finished' | 'broken' }
  | { type: 'transcript.cleared' };

/** A session with words has ended. */
export type TranscriptNotice = { type: 'session.heard'; tokens: readonly TranscriptToken[] };

export const transcriptMachine = setup({
  types: {} as { context: TranscriptRecord; input: { record: TranscriptRecord }; events: TranscriptEvent },
  guards: {
    hasWords: ({ context }, { how }: { how: 'finished' | 'broken' }) =>
      wordsSinceSeparator(context, how).some(({ text }) => text.trim() !== ''),
  },
  actions: {
    notifyParent: notifyParent<TranscriptNotice>(),
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
        'tokens.received': { actions: withEvent('receive') },
        'session.closed': [
          {
            guard: withEvent('hasWords'),
            actions: [
              {
                type: 'notifyParent',
                params: ({ context, event }) => ({
                  type: 'session.heard',
                  tokens: wordsSinceSeparator(context, event.how),
                }),
              },
              withEvent('close'),
            ],
          },
          { actions: withEvent('close') },
        ],
        'transcript.cleared': { actions: 'clear' },
      },
    },
  },
});

export type TranscriptActor = ActorRefFrom<typeof transcriptMachine>;
