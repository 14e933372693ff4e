import { SAMPLE_RATE_REQUESTED } from '#contract/live.ts';
import { AUDIO_MODULE_FAILED, type LiveError, liveError } from '#machines/playground/live/errors.ts';
import type { CaptureCommand, CaptureEvent } from '#machines/playground/stream/actors.ts';
import { toFailure } from '#machines/shared/failure.ts';
import { openPcmTap, type PcmTap, TapUnavailable } from './pcmTap.ts';

/** Mono, unprocessed. The browser may ignore the rate; the context's rate is the one sent (LIV-12). */
export const microphoneConstraints = (deviceId: string | null): MediaStreamConstraints => ({
  audio: {
    ...(deviceId === null ? {} : { deviceId: { exact: deviceId } }),
    channelCount: 1,
    sampleRate: SAMPLE_RATE_REQUESTED,
    echoCancellation: false,
    noiseSuppression: false,
    autoGainControl: false,
  },
});

/** Browser functions; replaceable in tests. */
export type MicrophonePort = {
  isSecureContext: boolean;
  getUserMedia: ((constraints: MediaStreamConstraints) => Promise<MediaStream>) | undefined;
  createContext: () => AudioContext;
  openTap: typeof openPcmTap;
};

const browser = (): MicrophonePort => ({
  isSecureContext: window.isSecureContext,
  // Missing in insecure contexts, against its type.
  getUserMedia:
    'mediaDevices' in navigator ? (constraints) => navigator.mediaDevices.getUserMedia(constraints) : undefined,
  // Without a fixed rate, because some browsers would then refuse a source of another rate.
  createContext: () => new AudioContext(),
  openTap: openPcmTap,
});

type OnCapture = (event: CaptureEvent) => void;
export type Capture = { command: (command: CaptureCommand) => void; close: () => void };

/**
 * Opens the microphone and reports its sound. `close` releases every track and the context, also while the browser
 * still asks the user: it then stops a track that is granted later.
 */
export function openMicrophone(deviceId: string | null, onEvent: OnCapture, port: MicrophonePort = browser()): Capture {
  let isClosed = false;
  let stream: MediaStream | undefined;
  let context: AudioContext | undefined;
  let tap: PcmTap | undefined;

  const report: OnCapture = (event) => {
    if (!isClosed) onEvent(event);
  };
  const close = () => {
    isClosed = true;
    tap?.close();
    for (const track of stream?.getTracks() ?? []) {
      track.onended = null;
      track.stop();
    }
    if (context) {
      context.onstatechange = null;
      if (context.state !== 'closed') void context.close();
    }
  };
  const fail = (error: LiveError) => {
    report({ type: 'capture.failed', error });
    close();
  };

  async function open() {
    if (!port.getUserMedia) throw new UnsupportedError(port.isSecureContext ? UNSUPPORTED : INSECURE);
    stream = await port.getUserMedia(microphoneConstraints(deviceId));
    if (isClosed) return close();
    context = port.createContext();
    const opened = context;
    tap = await port.openTap(opened, {
      onChunk: (pcm, level) => report({ type: 'audio.chunk', pcm, level }),
      onDrained: () => {
        report({ type: 'capture.stopped' });
        close();
      },
    });
    if (isClosed) return close();
    for (const track of stream.getTracks()) track.onended = () => fail(MICROPHONE_FAILED);
    opened.createMediaStreamSource(stream).connect(tap.node);
    // Telephone calls and sleep suspend a context, which does not always resume by itself.
    opened.onstatechange = () => {
      if (opened.state !== 'running' && opened.state !== 'closed') opened.resume().catch(() => fail(MICROPHONE_FAILED));
    };
    await opened.resume();
    report({ type: 'media.granted', sampleRate: opened.sampleRate, channels: 1 });
    return undefined;
  }

  open().catch((error: unknown) => {
    const refusal =
      error instanceof TapUnavailable
        ? AUDIO_MODULE_FAILED
        : liveError('get_user_media_failed', causeOf(error, port.isSecureContext));
    report({ type: 'media.refused', error: refusal });
    close();
  });

  return {
    command: ({ type }) => {
      if (type === 'capture.start') tap?.start();
      else if (tap) tap.stop(0);
      else report({ type: 'capture.stopped' });
    },
    close,
  };
}

class UnsupportedError extends Error {}

const INSECURE = 'Browsers offer the microphone only to pages from https or from this computer.';
const UNSUPPORTED = 'This browser cannot record audio.';
const MICROPHONE_FAILED: LiveError = {
  code: 'microphone_lost',
  message: 'The microphone stopped. Check that it is still connected, then run again.',
};

/** Why there is no microphone, in one line below the headline. */
export function causeOf(error: unknown, isSecure: boolean): string {
  if (error instanceof UnsupportedError) return error.message;
  if (!isSecure) return INSECURE;
  switch (error instanceof DOMException ? error.name : '') {
    case 'NotAllowedError':
      return 'Allow the microphone in your browser, then run again.';
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'No microphone was found. Connect one, then run again.';
    case 'NotReadableError':
    case 'AbortError':
      return 'The microphone is in use by another application or does not answer.';
    case 'SecurityError':
      return 'The settings of this browser or of this site forbid the microphone.';
    case 'NotSupportedError':
      return UNSUPPORTED;
    default:
      return toFailure(error).message;
  }
}
