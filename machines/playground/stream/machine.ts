// Models one live session, from opening the microphone or the file to the server's last word.
// Owned by `live`, which starts one per run; the output says how the session ended.
import { AUDIO_FORMAT, CLOSE_NORMAL, type LiveToken } from '#contract/live.ts';
import { assign, sendTo, setup, type SnapshotFrom } from 'xstate';
import { toFailure } from '../../shared/failure.ts';
import { liveError, WEBSOCKET_FAILED, websocketClosed, type LiveError } from '../live/errors.ts';
import { notifyParent } from '../../shared/notifyParent.ts';
import type { LiveSessionConfig } from '../settings/types.ts';
import { capture, type AudioSource, type CaptureEvent } from './actors.ts';
import { socketMachine, type SocketCommand, type SocketNotice } from './socket/machine.ts';
import { withEvent } from '../../shared/withEvent.ts';
import { hold } from '../../shared/holding.ts';
import type { SoundMeasured } from '../live/inputLevel/machine.ts';

export type StreamInput = { audio: AudioSource; config: LiveSessionConfig };
type Media = { sampleRate: number; channels: number };

type StreamContext = StreamInput & { media: Media | null; error: LiveError | null };

type StreamUserEvent = { type: 'stop.requested' } | { type: 'cancel.requested' } | { type: 'finalize.requested' };

export type StreamOutput = { kind: 'finished' } | { kind: 'canceled' } | { kind: 'error'; error: LiveError };

export type StreamNotice =
  | { type: 'stream.opened' }
  | { type: 'stream.finishing' }
  /** The last one has the session's request id, and its cost in USD if there are prices. */
  | { type: 'tokens.received'; tokens: readonly LiveToken[]; costUsd?: string; requestId?: string }
  | SoundMeasured
  | Extract<CaptureEvent, { type: 'playback.progressed' | 'playback.ended' }>;

const BYTES_PER_SAMPLE = 2;

const setupStream = setup({
  types: {} as {
    context: StreamContext;
    input: StreamInput;
    events: StreamUserEvent | CaptureEvent | SocketNotice;
    output: StreamOutput;
    children: { capture: 'capture'; socket: 'socket' };
  },
  actors: { capture, socket: socketMachine },
  delays: {
    // Longest wait for the device's last chunk.
    drainLimit: 2000,
  },
  guards: {
    isFile: ({ context }) => context.audio.source === 'file',
    isNormal: (_, { code }: { code: number }) => code === CLOSE_NORMAL,
  },
  actions: {
    hold,
    setMedia: assign((_, { sampleRate, channels }: Media) => ({ media: { sampleRate, channels } })),
    setError: assign((_, { error }: { error: LiveError }) => ({ error })),
    startCapture: sendTo('capture', { type: 'capture.start' }),
    stopCapture: sendTo('capture', { type: 'capture.stop' }),
    connect: sendTo('socket', ({ context }): SocketCommand => ({
      type: 'connect.requested',
      config: {
        ...context.config,
        audio_format: AUDIO_FORMAT,
        ...(context.media ? { sample_rate: context.media.sampleRate, num_channels: context.media.channels } : {}),
      },
    })),
    sendAudio: sendTo('socket', (_, { pcm }: { pcm: ArrayBuffer }): SocketCommand => ({ type: 'audio.chunk', pcm })),
    sendFinalize: sendTo('socket', { type: 'finalize.requested' }),
    endAudio: sendTo('socket', { type: 'audio.ended' }),
    notifyParent: notifyParent<StreamNotice>(),
  },
});

const passTokens = setupStream.createStateConfig({
  on: {
    'socket.received': {
      actions: {
        type: 'notifyParent',
        params: ({ event: { result } }) => ({
          type: 'tokens.received',
          tokens: result.tokens,
          ...(typeof result.cost_usd === 'string' ? { costUsd: result.cost_usd } : {}),
          ...(result.request_id === undefined ? {} : { requestId: result.request_id }),
        }),
      },
    },
  },
});

export const streamMachine = setupStream.createMachine({
  id: 'stream',
  context: ({ input }) => ({ ...input, media: null, error: null }),
  entry: 'hold',
  // The socket waits for `connect.requested`.
  invoke: { id: 'socket', src: 'socket' },
  initial: 'init',
  on: {
    'cancel.requested': '.canceled',
    'socket.refused': { target: '.error', actions: withEvent('setError') },
    'socket.failed': {
      target: '.error',
      actions: { type: 'setError', params: { error: WEBSOCKET_FAILED } },
    },
    'socket.closed': [
      { guard: withEvent('isNormal'), target: '.finished' },
      { target: '.error', actions: { type: 'setError', params: ({ event }) => ({ error: websocketClosed(event) }) } },
    ],
  },
  states: {
    init: { always: [{ guard: 'isFile', target: 'capturing.openingWebSocket' }, { target: 'capturing' }] },
    capturing: {
      initial: 'requestingMedia',
      invoke: {
        id: 'capture',
        src: 'capture',
        input: ({ context }) => context.audio,
        onError: {
          target: 'error',
          actions: {
            type: 'setError',
            params: ({ event, context }) => ({ error: captureError(context, toFailure(event.error).message) }),
          },
        },
      },
      on: {
        'media.refused': { target: 'error', actions: withEvent('setError') },
        'capture.failed': { target: 'error', actions: withEvent('setError') },
        'audio.chunk': {
          actions: [
            withEvent('sendAudio'),
            {
              type: 'notifyParent',
              params: ({ context, event }) => ({
                type: 'sound.measured',
                level: event.level,
                durationMs: durationOf(event.pcm, context.media),
              }),
            },
          ],
        },
      },
      states: {
        requestingMedia: {
          on: {
            'media.granted': {
              target: 'openingWebSocket.connecting',
              actions: [withEvent('setMedia'), 'startCapture'],
            },
            'stop.requested': '#stream.finishingEarly',
          },
        },
        openingWebSocket: {
          initial: 'preparing',
          on: {
            'stop.requested': '#stream.finishingEarly',
            // A file starts to play only now; a microphone has been recording since it was granted.
            'socket.opened': [{ guard: 'isFile', target: 'running', actions: 'startCapture' }, { target: 'running' }],
          },
          states: {
            // The first frame has the sample rate, so the file has to open before the socket.
            preparing: { on: { 'media.granted': { target: 'connecting', actions: withEvent('setMedia') } } },
            connecting: { entry: 'connect' },
          },
        },
        running: {
          entry: { type: 'notifyParent', params: { type: 'stream.opened' } },
          on: {
            ...passTokens.on,
            'finalize.requested': { actions: 'sendFinalize' },
            'stop.requested': { target: 'finishingRecording', actions: 'stopCapture' },
            'playback.progressed': { actions: withEvent('notifyParent') },
            'playback.ended': { target: 'finishingRecording', actions: ['stopCapture', withEvent('notifyParent')] },
          },
        },
        finishingRecording: {
          entry: { type: 'notifyParent', params: { type: 'stream.finishing' } },
          on: { ...passTokens.on, 'capture.stopped': '#stream.finishingProcessing' },
          after: { drainLimit: '#stream.finishingProcessing' },
        },
      },
    },
    finishingProcessing: { entry: 'endAudio', on: passTokens.on },
    finishingEarly: {
      entry: ['endAudio', { type: 'notifyParent', params: { type: 'stream.finishing' } }],
      // A socket that is not open yet closes at once.
      on: { 'socket.closed': 'finished' },
    },
    finished: { type: 'final', output: { kind: 'finished' } satisfies StreamOutput },
    canceled: { type: 'final', output: { kind: 'canceled' } satisfies StreamOutput },
    error: {
      type: 'final',
      output: ({ context }): StreamOutput => ({ kind: 'error', error: context.error ?? liveError('websocket_error') }),
    },
  },
  // XState types a final state's output as unknown; every one above satisfies StreamOutput.
  output: ({ event }) => event.output as StreamOutput,
});

/** Length of a chunk of mono s16le, milliseconds. */
const durationOf = ({ byteLength }: ArrayBuffer, media: Media | null): number =>
  media ? (byteLength / BYTES_PER_SAMPLE / media.sampleRate) * 1000 : 0;

/** The error of a capture that crashed. */
function captureError({ audio }: StreamContext, detail: string): LiveError {
  return liveError(audio.source === 'file' ? 'input_file_error' : 'get_user_media_failed', detail);
}

export type StreamSnapshot = SnapshotFrom<typeof streamMachine>;
