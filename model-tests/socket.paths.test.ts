import { describe, expect } from 'vitest';
import { QUEUED_MESSAGES_MAX } from '#contract/live.ts';
import { socketMachine } from '#machines/playground/stream/socket/machine.ts';
import { describeWalk, FAILURE } from './walk.ts';

const audio = (samples: number) => ({ type: 'audio.chunk', pcm: new ArrayBuffer(samples * 2) });

describe('LIV-13 LIV-14: every way of the socket', () => {
  describeWalk(socketMachine, {
    tags: { quiet: ['open.watchdog.running.quiet', 'open.watchdog.running.silent', 'open.watchdog.ending.quiet'] },
    ignored: {
      'It connects once': 'connect.requested in waiting.{connecting, fetchingKey}, open',
      'The last words are awaited': 'audio.ended in open.watchdog.ending',
      'It opens once, after it was asked to connect': 'webSocket.opened in waiting.{fetchingKey, idle}, open',
      'The server speaks once the socket is open': 'result.received in waiting',
    },
    cases: {
      'connect.requested': [{ config: { model: 'rt-1' } }],
      // The second fills the queue.
      'audio.chunk': [audio(1), audio(QUEUED_MESSAGES_MAX * 30_000)],
      'result.received': [{ result: { tokens: [{ text: 'a', is_final: true }] } }],
      'failure.received': [{ failure: { error_message: 'No.' } }],
      'webSocket.closed': [{ code: 1006, reason: '' }],
      'done fetchKey': [{ api_key: 'key-1' }],
      'failed fetchKey': [FAILURE],
      'failed webSocket': [FAILURE],
    },
    distinguish: ({ context }) => [context.queue.length === QUEUED_MESSAGES_MAX, context.isAnswered],
    states: {
      'waiting.idle': ({ context }) => expect(context.firstFrame).toEqual({}),
      waiting: ({ context }) => expect(context.queue.length).toBeLessThanOrEqual(QUEUED_MESSAGES_MAX),
      open: ({ context }) => expect([context.queue, context.firstFrame.api_key]).toEqual([[], 'demo']),
    },
  });
});
