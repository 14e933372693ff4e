import { describe, expect } from 'vitest';
import { liveError } from '#machines/playground/live/errors.ts';
import { streamMachine } from '#machines/playground/stream/machine.ts';
import { shownState } from '#machines/playground/stream/shown.ts';
import { describeWalks, FAILURE, type WalkOptions } from './walk.ts';

const shows =
  (state: string): NonNullable<WalkOptions['states']>[string] =>
  (snapshot) =>
    expect(shownState(snapshot as Parameters<typeof shownState>[0])).toBe(state);
const file = { name: 'talk.wav', size: 10, type: 'audio/wav' };

describe('LIV-02 LIV-05: every way of a live session', () => {
  describeWalks(
    streamMachine,
    {
      ignored: {
        'The capture has ended': 'media.refused, capture.failed, audio.chunk in finishingEarly, finishingProcessing',
        'The capture is granted once':
          'media.granted in capturing.{finishingRecording, openingWebSocket.connecting, running}, finishingEarly, finishingProcessing',
        'It is stopping already': 'stop.requested in capturing.finishingRecording, finishingEarly, finishingProcessing',
        'The socket opens once':
          'socket.opened in capturing.{finishingRecording, requestingMedia, running}, finishingEarly, finishingProcessing',
        'The person gave up before anything began, or nothing was asked yet':
          'socket.received in capturing.{openingWebSocket, requestingMedia}, finishingEarly',
        'Nothing is being transcribed':
          'finalize.requested, playback.progressed, playback.ended in capturing.{finishingRecording, openingWebSocket, requestingMedia}, finishingEarly, finishingProcessing',
        'The capture was not asked to stop, or has ended':
          'capture.stopped in capturing.{openingWebSocket, requestingMedia, running}, finishingEarly, finishingProcessing',
      },
      cases: {
        'media.granted': [{ sampleRate: 48_000, channels: 1 }],
        'media.refused': [{ error: liveError('get_user_media_failed') }],
        'capture.failed': [{ error: liveError('get_user_media_failed') }],
        'audio.chunk': [{ pcm: new ArrayBuffer(2), level: 0.5 }],
        'playback.progressed': [{ positionMs: 1, durationMs: 2 }],
        'socket.received': [{ result: { tokens: [{ text: 'a', is_final: true }] } }],
        'socket.refused': [{ error: liveError('cannot_handle_request') }],
        'socket.closed': [
          { code: 1000, reason: '' },
          { code: 1006, reason: 'lost' },
        ],
        'failed capture': [FAILURE],
      },
      distinguish: ({ output }) => output,
      states: {
        'capturing.requestingMedia': shows('Starting'),
        'capturing.openingWebSocket': shows('Starting'),
        'capturing.running': shows('Running'),
        'capturing.finishingRecording': shows('Finishing'),
        finishingProcessing: shows('Finishing'),
        finishingEarly: shows('Finishing'),
        finished: (snapshot) => expect(snapshot.output).toEqual({ kind: 'finished' }),
        canceled: (snapshot) => expect(snapshot.output).toEqual({ kind: 'canceled' }),
        error: (snapshot) =>
          expect(snapshot.output).toMatchObject({
            kind: 'error',
            error: { code: expect.any(String), message: expect.any(String) },
          }),
      },
    },
    {
      microphone: { input: { audio: { source: 'microphone', deviceId: null }, config: {} } },
      file: { input: { audio: { source: 'file', file, fromMs: 0 }, config: {} } },
    },
  );
});
