import { CHUNK_INTERVAL_MS, CHUNK_MAX_BYTES } from '#contract/live.ts';
import { loudnessOf } from './loudness.ts';
import workletUrl from './pcm.worklet.js?url&no-inline';

const BYTES_PER_SAMPLE = 2;
/** Longest wait for the last samples of the audio thread. */
const DRAIN_MAX_MS = 1000;

export type PcmTapHandlers = {
  /** The audio thread has started to record. */
  onStarted?: () => void;
  /** Mono s16le of about 120 ms, and its loudness. */
  onChunk: (pcm: ArrayBuffer, level: number) => void;
  /** All sound up to the stop has been delivered. Called once. */
  onDrained: () => void;
};

export type PcmTap = {
  /** Connect the source to this node. */
  node: AudioWorkletNode;
  start: () => void;
  /** Delivers the rest, up to `drainMs` more of sound, then calls `onDrained`. */
  stop: (drainMs: number) => void;
  /** Ends the tap at once. */
  close: () => void;
};

type WorkletMessage = { type: 'started' } | { type: 'chunk'; pcm: ArrayBuffer } | { type: 'drained' };

/** Samples per chunk at a rate (Hz). */
export const chunkSamples = (sampleRate: number): number =>
  Math.min(Math.round((sampleRate * CHUNK_INTERVAL_MS) / 1000), CHUNK_MAX_BYTES / BYTES_PER_SAMPLE);

/** The worklet could not be loaded. The browser gives no useful reason. */
export class TapUnavailable extends Error {
  constructor(options: ErrorOptions) {
    super('The worklet could not be loaded.', options);
    this.name = 'TapUnavailable';
  }
}

/**
 * Records sound of a context as PCM on the audio thread.
 * @throws TapUnavailable
 */
export async function openPcmTap(
  context: AudioContext,
  { onStarted, onChunk, onDrained }: PcmTapHandlers,
): Promise<PcmTap> {
  await context.audioWorklet.addModule(workletUrl).catch((cause: unknown) => {
    throw new TapUnavailable({ cause });
  });
  const node = new AudioWorkletNode(context, 'pcm', {
    processorOptions: { chunkSamples: chunkSamples(context.sampleRate) },
  });
  // An unconnected node would not run; its output is silence.
  node.connect(context.destination);
  let isClosed = false;
  let patience: ReturnType<typeof setTimeout> | undefined;
  const close = () => {
    isClosed = true;
    clearTimeout(patience);
    node.port.onmessage = null;
    node.disconnect();
  };
  const drained = () => {
    if (isClosed) return;
    close();
    onDrained();
  };
  node.port.onmessage = ({ data }: MessageEvent<WorkletMessage>) => {
    if (data.type === 'chunk') onChunk(data.pcm, loudnessOf(data.pcm));
    else if (data.type === 'started') onStarted?.();
    else drained();
  };
  return {
    node,
    start: () => node.port.postMessage({ type: 'start' }),
    stop: (drainMs) => {
      if (isClosed) return;
      // A suspended context renders no further samples.
      const isRunning = context.state === 'running';
      node.port.postMessage({
        type: 'stop',
        drainSamples: isRunning ? Math.round((context.sampleRate * drainMs) / 1000) : 0,
      });
      patience = setTimeout(drained, drainMs + DRAIN_MAX_MS);
    },
    close,
  };
}
