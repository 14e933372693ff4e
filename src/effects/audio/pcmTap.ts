import { CHUNK_INTERVAL_MS, CHUNK_MAX_BYTES } from '#contract/live.ts';
import workletUrl from './pcm.worklet.js?url&no-inline';

const BYTES_PER_SAMPLE = 2;
/** How long the audio thread gets to hand over its last samples before the tap counts as drained anyway. */
const DRAIN_MAX_MS = 1000;

export type PcmTapHandlers = {
  /** What sounds from now on is heard; the audio thread may be late. */
  onStarted?: () => void;
  /** Mono s16le of about 120 ms. */
  onChunk: (pcm: ArrayBuffer) => void;
  /** Everything up to the stop has been handed over. Said once. */
  onDrained: () => void;
};

export type PcmTap = {
  /** The end that a source is connected to. */
  node: AudioWorkletNode;
  start: () => void;
  /** Hands over what is pending after `drainMs` more of sound, then says `onDrained`. */
  stop: (drainMs: number) => void;
  /** Silences the tap at once and for good. */
  close: () => void;
};

type WorkletMessage = { type: 'started' } | { type: 'chunk'; pcm: ArrayBuffer } | { type: 'drained' };

/** Samples per chunk at a rate (Hz). */
export const chunkSamples = (sampleRate: number): number =>
  Math.min(Math.round((sampleRate * CHUNK_INTERVAL_MS) / 1000), CHUNK_MAX_BYTES / BYTES_PER_SAMPLE);

/** The worklet could not be loaded: the browser says no more about it than that a request was aborted. */
export class TapUnavailable extends Error {
  constructor(options: ErrorOptions) {
    super('The worklet could not be loaded.', options);
    this.name = 'TapUnavailable';
  }
}

/**
 * A tap on a context's sound, converted on the audio thread.
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
  // A node that leads nowhere is not pulled; this one's own output is silence.
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
    if (data.type === 'chunk') onChunk(data.pcm);
    else if (data.type === 'started') onStarted?.();
    else drained();
  };
  return {
    node,
    start: () => node.port.postMessage({ type: 'start' }),
    stop: (drainMs) => {
      if (isClosed) return;
      // A context that stands still renders no further samples to drain.
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
