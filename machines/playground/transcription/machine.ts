// Models one transcription on the server, from its creation or id to its transcript, or until it is cancelled.
// Owned by `async`: one per opened transcription, which it polls until it ends.
import {
  CANCELLED_TYPE,
  POLL_INTERVAL_MS,
  type Transcript,
  type Transcription,
  type TranscriptionCreate,
} from '#contract/transcriptions.ts';
import { assign, setup, type ActorRefFrom, type SnapshotFrom } from 'xstate';
import { type Failure, failureOf, mayPass, toFailure } from '../../shared/failure.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import { cancelTranscription, createTranscription, fetchTranscript, fetchTranscription } from './actors.ts';
import { UNREAD } from '../../shared/unread.ts';
import { withEvent } from '../../shared/withEvent.ts';
import { isLater, isRunning } from './progress.ts';

/** A transcription to create, or the id of one that exists. */
export type TranscriptionInput = { create: TranscriptionCreate } | { id: string };

export type TranscriptionContext = {
  start: TranscriptionInput;
  /** The server's latest answer. */
  transcription: Transcription | null;
  transcript: Transcript | null;
  /** Whether it ran while it was open, so that its end is news. */
  wasRunning: boolean;
  failure: Failure | null;
  /** Why it could not be cancelled. */
  refusal: Failure | null;
};

/** `created` once, `updated` after every answer, `unreachable` when it cannot be read. */
export type TranscriptionNotice =
  | { type: 'transcription.created'; transcription: Transcription }
  | { type: 'transcription.refused'; failure: Failure }
  | { type: 'transcription.updated'; transcription: Transcription }
  | { type: 'transcription.unreachable' };

const NOT_FOUND = 404;
const CONFLICT = 409;

const setupTranscription = setup({
  types: {} as {
    context: TranscriptionContext;
    input: TranscriptionInput;
    events:
      | { type: 'retry.requested' }
      | { type: 'cancel.requested' }
      /** `listSync` has read it. */
      | { type: 'transcription.read'; transcription: Transcription };
    tags:
      | 'busy'
      | 'creating'
      | 'refused'
      | 'polling'
      | 'cancelling'
      | 'unreachable'
      | 'completed'
      | 'cancelled'
      | 'failed';
  },
  actors: { createTranscription, fetchTranscription, fetchTranscript, cancelTranscription },
  delays: { pollInterval: POLL_INTERVAL_MS },
  guards: {
    isNew: ({ context }) => 'create' in context.start,
    isNews: ({ context }, { transcription }: { transcription: Transcription }) =>
      context.transcription === null || isLater(transcription, context.transcription),
    isKnown: ({ context }) => context.transcription !== null,
    isCompleted: ({ context }) => context.transcription?.status === 'completed',
    isCancelled: ({ context }) =>
      context.transcription?.status === 'error' && context.transcription.error_type === CANCELLED_TYPE,
    isError: ({ context }) => context.transcription?.status === 'error',
    isGone: (_, { error }: { error: unknown }) => toFailure(error).status === NOT_FOUND,
    hasEnded: (_, { error }: { error: unknown }) => toFailure(error).status === CONFLICT,
    mayPass: (_, { error }: { error: unknown }) => mayPass(error),
  },
  actions: {
    setTranscription: assign(({ context }, { transcription }: { transcription: Transcription }) => ({
      transcription,
      wasRunning: context.wasRunning || isRunning(transcription),
      failure: null,
    })),
    setTranscript: assign((_, { transcript }: { transcript: Transcript }) => ({ transcript, failure: null })),
    setFailure: assign(failureOf),
    setRefusal: assign((_, { error }: { error: unknown }) => ({ refusal: toFailure(error) })),
    clearRefusal: assign({ refusal: null }),
    notifyParent: notifyParent<TranscriptionNotice>(),
  },
});

export const transcriptionMachine = setupTranscription.createMachine({
  id: 'transcription',
  context: ({ input }) => ({
    start: input,
    transcription: null,
    transcript: null,
    wasRunning: false,
    failure: null,
    refusal: null,
  }),
  initial: 'opening',
  states: {
    opening: { always: [{ guard: 'isNew', target: 'creating' }, { target: 'polling' }] },
    creating: {
      tags: ['busy', 'creating'],
      invoke: {
        id: 'createTranscription',
        src: 'createTranscription',
        input: ({ context }) => {
          if (!('create' in context.start)) throw new Error('Nothing to create.');
          return { create: context.start.create };
        },
        onDone: {
          target: 'polling.deciding',
          actions: [
            { type: 'setTranscription', params: ({ event }) => ({ transcription: event.output }) },
            {
              type: 'notifyParent',
              params: ({ event }) => ({ type: 'transcription.created', transcription: event.output }),
            },
          ],
        },
        onError: {
          target: 'refused',
          actions: [
            withEvent('setFailure'),
            {
              type: 'notifyParent',
              params: ({ event }) => ({ type: 'transcription.refused', failure: toFailure(event.error) }),
            },
          ],
        },
      },
    },
    refused: { tags: 'refused' },
    polling: {
      tags: ['busy', 'polling'],
      initial: 'checking',
      on: {
        'cancel.requested': { guard: 'isKnown', target: 'cancelling', actions: 'clearRefusal' },
        // Adopts the answer at once, to show what the lists show.
        'transcription.read': {
          guard: withEvent('isNews'),
          target: '.deciding',
          actions: [
            withEvent('setTranscription'),
            {
              type: 'notifyParent',
              params: ({ event }) => ({ type: 'transcription.updated', transcription: event.transcription }),
            },
          ],
        },
      },
      states: {
        checking: {
          invoke: {
            id: 'fetchTranscription',
            src: 'fetchTranscription',
            input: ({ context }) => ({ id: idOf(context) }),
            onDone: {
              target: 'deciding',
              actions: [
                { type: 'setTranscription', params: ({ event }) => ({ transcription: event.output }) },
                {
                  type: 'notifyParent',
                  params: ({ event }) => ({ type: 'transcription.updated', transcription: event.output }),
                },
              ],
            },
            onError: [
              { guard: withEvent('mayPass'), target: 'unreachable', actions: withEvent('setFailure') },
              {
                target: '#transcription.failed',
                actions: [
                  withEvent('setFailure'),
                  { type: 'notifyParent', params: { type: 'transcription.unreachable' } },
                ],
              },
            ],
          },
        },
        deciding: {
          always: [
            { guard: 'isCompleted', target: '#transcription.fetchingTranscript' },
            { guard: 'isCancelled', target: '#transcription.cancelled' },
            { guard: 'isError', target: '#transcription.failed' },
            { target: 'waiting' },
          ],
        },
        waiting: { after: { pollInterval: 'checking' } },
        unreachable: {
          tags: 'unreachable',
          after: { pollInterval: 'checking' },
          on: { 'retry.requested': 'checking' },
        },
      },
    },
    // Only the server knows whether the request is in time.
    cancelling: {
      tags: ['busy', 'polling', 'cancelling'],
      invoke: {
        id: 'cancelTranscription',
        src: 'cancelTranscription',
        input: ({ context }) => ({ id: idOf(context) }),
        onDone: {
          target: 'polling.deciding',
          actions: [
            { type: 'setTranscription', params: ({ event }) => ({ transcription: event.output }) },
            {
              type: 'notifyParent',
              params: ({ event }) => ({ type: 'transcription.updated', transcription: event.output }),
            },
          ],
        },
        onError: [
          { guard: withEvent('hasEnded'), target: 'polling.checking' },
          {
            guard: withEvent('isGone'),
            target: 'failed',
            actions: [withEvent('setFailure'), { type: 'notifyParent', params: { type: 'transcription.unreachable' } }],
          },
          { target: 'polling.checking', actions: withEvent('setRefusal') },
        ],
      },
    },
    cancelled: { tags: 'cancelled' },
    fetchingTranscript: {
      tags: 'busy',
      invoke: {
        id: 'fetchTranscript',
        src: 'fetchTranscript',
        input: ({ context }) => ({ id: idOf(context) }),
        onDone: {
          target: 'completed',
          actions: { type: 'setTranscript', params: ({ event }) => ({ transcript: event.output }) },
        },
        onError: { target: 'failed', actions: withEvent('setFailure') },
      },
    },
    completed: { tags: 'completed' },
    failed: {
      tags: 'failed',
      meta: UNREAD,
      // A transcription that failed on the server stays failed; a failed read can be repeated.
      on: { 'retry.requested': { guard: ({ context }) => context.failure !== null, target: 'polling' } },
    },
  },
});

/** The id, once there is one. */
function idOf({ start, transcription }: TranscriptionContext): string {
  if (transcription) return transcription.id;
  if ('id' in start) return start.id;
  throw new Error('The transcription has no id yet.');
}
export type TranscriptionActor = ActorRefFrom<typeof transcriptionMachine>;
export type TranscriptionSnapshot = SnapshotFrom<typeof transcriptionMachine>;
