import { describe, expect } from 'vitest';
import { CallError } from '#machines/shared/failure.ts';
import { transcriptionMachine } from '#machines/playground/transcription/machine.ts';
import { failureText, NO_DATA, stateOf, statusText } from '#machines/playground/transcription/texts.ts';
import { transcription } from '#test/machines/playground-fixtures.ts';
import { describeWalks, type WalkOptions } from './walk.ts';

const statuses = ['queued', 'processing', 'not yet known', 'completed', 'error'].map((status) =>
  transcription({ status, error_message: status === 'error' ? 'No audio.' : null }),
);
const cancelled = transcription({
  status: 'error',
  error_type: 'cancelled',
  error_message: 'The transcription was cancelled.',
});
const options: Omit<WalkOptions, 'input'> = {
  cases: {
    'done createTranscription': statuses,
    'done cancelTranscription': [cancelled],
    'failed cancelTranscription': [404, 409, 500].map(
      (status) => new CallError({ kind: 'HTTP', status, message: `${status}.` }),
    ),
    'done fetchTranscription': [...statuses, cancelled],
    'transcription.read': ['queued', 'processing', 'completed'].map((status) => ({
      transcription: transcription({ status }),
    })),
    'done fetchTranscript': [{ id: 't1', text: 'Hi', tokens: [{ text: 'Hi' }] }],
    'failed fetchTranscription': [
      new CallError({ kind: 'FETCH_ERROR', message: 'offline' }),
      new CallError({ kind: 'HTTP', status: 503, message: 'later' }),
      new CallError({ kind: 'HTTP', status: 404, message: 'gone' }),
    ],
  },
  distinguish: ({ context }) => [
    context.transcription?.status,
    context.transcription?.error_type,
    context.failure?.message,
  ],
  states: {
    'polling.waiting': ({ context }) =>
      expect(statusText(context)).toBe(`Transcription talk.wav is ${context.transcription.status}.`),
    cancelled: ({ context }) => expect(stateOf(context.transcription)).toBe('cancelled'),
    completed: ({ context }) => expect(context.transcript.text).toBe('Hi'),
    failed: ({ context }) => {
      const byServer = context.transcription?.status === 'error';
      expect(failureText(context)).toBe(byServer ? 'Transcription failed. No audio.' : NO_DATA);
    },
  },
};
describe('ASY-09 ASY-10 FAI-03: every way of a transcription', () => {
  describeWalks(
    transcriptionMachine,
    {
      tags: {
        busy: ['creating', 'polling', 'cancelling', 'fetchingTranscript'],
        creating: ['creating'],
        refused: ['refused'],
        polling: ['polling', 'cancelling'],
        unreachable: ['polling.unreachable'],
        cancelling: ['cancelling'],
        cancelled: ['cancelled'],
        completed: ['completed'],
        failed: ['failed'],
      },
      ignored: {
        'Nothing is under way that could be cancelled':
          'cancel.requested in cancelled, cancelling, completed, creating, failed, fetchingTranscript, refused',
        'Only a transcription whose id is known can be cancelled': 'cancel.requested at times in polling',
        'Nothing has failed, or no other try would help':
          'retry.requested in cancelled, cancelling, completed, creating, fetchingTranscript, polling.{checking, waiting}, refused',
        'It has ended here, or an answer about it is on its way that tells more':
          'transcription.read in cancelled, cancelling, completed, creating, failed, fetchingTranscript, refused',
        'A failure that another try would not mend': 'retry.requested at times in failed',
      },
      ...options,
    },
    {
      created: { input: { create: { model: 'async-1', file_id: 'f1' } } },
      'opened by its id': { input: { id: 't1' } },
    },
  );
});
