import { AUDIO_MODULE_FAILED, liveError } from '#machines/playground/live/errors.ts';
import type { CaptureCommand, CaptureEvent } from '#machines/playground/stream/actors.ts';
import type { PickedFile } from '#machines/playground/upload/actors.ts';
import { mediaProblem } from './mediaProblem.ts';
import type { Capture } from './microphone.ts';
import { openPcmTap, type PcmTap, TapUnavailable } from './pcmTap.ts';

/** Time until the last sound of the element has passed the audio graph, milliseconds. */
const DRAIN_MS = 100;

/** Browser functions; replaceable in tests. */
export type FileAudioPort = {
  createElement: () => HTMLAudioElement;
  createContext: () => AudioContext;
  createObjectURL: (file: File) => string;
  revokeObjectURL: (url: string) => void;
  openTap: typeof openPcmTap;
};

const browser = (): FileAudioPort => ({
  createElement: () => new Audio(),
  createContext: () => new AudioContext(),
  createObjectURL: (file) => URL.createObjectURL(file),
  revokeObjectURL: (url) => URL.revokeObjectURL(url),
  openTap: openPcmTap,
});

/**
 * Plays a file audibly in real time from a position (ms), and reports its sound as PCM. Needs no permission for the
 * microphone. `close` stops the sound and frees element, address and context.
 */
export function openFileAudio(
  file: PickedFile,
  fromMs: number,
  onEvent: (event: CaptureEvent) => void,
  port: FileAudioPort = browser(),
): Capture {
  let isClosed = false;
  let isStopping = false;
  let context: AudioContext | undefined;
  let tap: PcmTap | undefined;
  const element = port.createElement();
  const url = file instanceof File ? port.createObjectURL(file) : undefined;

  const report = (event: CaptureEvent) => {
    if (!isClosed) onEvent(event);
  };
  const close = () => {
    if (isClosed) return;
    isClosed = true;
    tap?.close();
    for (const [type, listener] of Object.entries(listeners)) element.removeEventListener(type, listener);
    element.pause();
    element.removeAttribute('src');
    element.load();
    if (url) port.revokeObjectURL(url);
    if (context && context.state !== 'closed') void context.close();
  };
  /** `media.refused` before anything plays, `capture.failed` afterwards. */
  let failure: 'media.refused' | 'capture.failed' = 'media.refused';
  const fail = (detail?: string, error = liveError('input_file_error', detail)) => {
    report({ type: failure, error });
    close();
  };
  const play = () => element.play().catch(() => fail('The browser refused to play it.'));
  const progress = () =>
    report({
      type: 'playback.progressed',
      positionMs: Math.round(element.currentTime * 1000),
      durationMs: Number.isFinite(element.duration) ? Math.round(element.duration * 1000) : 0,
    });

  const listeners = {
    error: () => fail(mediaProblem(element.error)),
    timeupdate: progress,
    ended: () => {
      progress();
      report({ type: 'playback.ended' });
    },
    // A media key must not pause it: the session would go on without sound.
    pause: () => {
      if (!isStopping && !element.ended && failure === 'capture.failed') void play();
    },
    // The service expects sound in real time.
    ratechange: () => {
      if (element.playbackRate !== 1) element.playbackRate = 1;
    },
  };

  async function open(address: string) {
    context = port.createContext();
    tap = await port.openTap(context, {
      // Plays only now, so that the tap hears the beginning.
      onStarted: () => {
        if (!isStopping) void play();
      },
      onChunk: (pcm, level) => report({ type: 'audio.chunk', pcm, level }),
      onDrained: () => {
        report({ type: 'capture.stopped' });
        close();
      },
    });
    if (isClosed) return;
    const source = context.createMediaElementSource(element);
    source.connect(tap.node);
    source.connect(context.destination);
    await context.resume();
    await canPlay(address);
    report({ type: 'media.granted', sampleRate: context.sampleRate, channels: 1 });
  }

  function canPlay(address: string): Promise<void> {
    return new Promise((resolve) => {
      element.addEventListener('canplay', () => resolve(), { once: true });
      element.preload = 'auto';
      element.src = address;
      if (fromMs > 0) element.currentTime = fromMs / 1000;
    });
  }

  for (const [type, listener] of Object.entries(listeners)) element.addEventListener(type, listener);
  if (url)
    open(url).catch((error: unknown) =>
      error instanceof TapUnavailable ? fail(undefined, AUDIO_MODULE_FAILED) : fail(),
    );
  else queueMicrotask(() => fail(mediaProblem(null)));

  const command = ({ type }: CaptureCommand) => {
    if (type === 'capture.start') {
      failure = 'capture.failed';
      tap?.start();
    } else {
      isStopping = true;
      element.pause();
      if (tap) tap.stop(DRAIN_MS);
      else report({ type: 'capture.stopped' });
    }
  };
  return { command, close };
}
