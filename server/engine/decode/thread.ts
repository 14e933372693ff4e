import type { MessagePort } from 'node:worker_threads';
import type { BuiltInFormat } from './audio-format.ts';
import { throughFfmpeg } from './ffmpeg-run.ts';
import { sendOnRequest, requestPieces } from './over-port.ts';
import { leaseThread } from './thread-pool.ts';
import type { FromDecoder, ToDecoder } from './worker.ts';
import { EngineError } from '../port.ts';
import type { EngineErrorCode, RecordingNote } from '../port.ts';

/** A decoder that has its bytes and sends no message for this long is stuck in damaged audio. */
const STALL_MS = 30_000;
/** Like {@link STALL_MS}, while an ffmpeg runs for the decoder: the ffmpeg may have to wait for the processor. */
const FFMPEG_STALL_MS = 60_000;

/** Options for decoding one recording. */
export interface RecordingOptions {
  signal?: AbortSignal | undefined;
  /** Called at the end with the notes on the recording. */
  onNotes?: ((notes: readonly RecordingNote[]) => void) | undefined;
  /** Gives sound as early as possible. */
  isLive?: boolean;
  /** How many ffmpeg processes may still start for this recording and those joined to it. */
  budget?: { processes: number };
  /** Path of ffmpeg, if installed; the AAC decoder needs it. */
  ffmpeg?: string | undefined;
  /**
   * Called when an ffmpeg starts, with a promise of its first sound. From then on the decoder may ask for more bytes
   * before it has given the sound of the earlier ones.
   */
  onFfmpeg?: ((first: Promise<void>) => void) | undefined;
}

const failed = (code: EngineErrorCode, message: string, cause?: unknown): FromDecoder => ({
  type: 'failed',
  code,
  message,
  cause,
});

function crashed(error: unknown): FromDecoder {
  const outOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return outOfMemory
    ? failed('invalid_audio', 'The audio takes too much memory to decode.')
    : failed('worker_crashed', 'The decoder failed.', error);
}

/**
 * Runs a built-in decoder in a thread; yields 16 kHz mono. Reads the next bytes only once the sound of the earlier ones
 * is taken. Does not close the source. Leaving the loop early ends the thread; else another recording may reuse it.
 * @throws EngineError
 */
export async function* decodeInThread(
  source: AsyncIterable<Uint8Array>,
  format: BuiltInFormat,
  { signal, onNotes, isLive = false, ffmpeg, onFfmpeg }: RecordingOptions = {},
): AsyncGenerator<Float32Array> {
  const { thread, release } = leaseThread();
  /** The running ffmpegs, each by the controller that stops it. */
  const runs = new Set<AbortController>();
  async function* run(path: string, aac: AsyncIterable<Uint8Array>, stop: AbortController): AsyncGenerator<Uint8Array> {
    let begin = (): void => undefined;
    onFfmpeg?.(
      new Promise((resolve) => {
        begin = resolve;
      }),
    );
    runs.add(stop);
    try {
      for await (const bytes of throughFfmpeg(path, aac, stop.signal, isLive)) {
        begin();
        yield bytes;
      }
    } finally {
      begin();
      runs.delete(stop);
    }
  }
  const start = async (path: string, input: MessagePort, output: MessagePort): Promise<void> => {
    const stop = new AbortController();
    const pieces = run(path, requestPieces(input), stop);
    await sendOnRequest(output, pieces);
    stop.abort();
    await pieces.return(undefined);
  };
  const post = (message: ToDecoder): void => thread.postMessage(message);
  const inbox: FromDecoder[] = [];
  let onArrival = (): void => undefined;
  const put = (message: FromDecoder): void => {
    inbox.push(message);
    onArrival();
  };

  const bytes = source[Symbol.asyncIterator]();
  /** Whether bytes are requested and have not arrived: this wait is no stall. */
  let hungry = false;
  const feed = async (): Promise<void> => {
    hungry = true;
    const next = await bytes.next();
    hungry = false;
    if (next.done === true) return post({ type: 'end' });
    // Copy: transferring a view would transfer the whole buffer behind it.
    const copy = new Uint8Array(next.value);
    thread.postMessage({ type: 'bytes', bytes: copy } satisfies ToDecoder, [copy.buffer]);
  };
  /** Whether the thread has sent its last message on this recording; the reader may take it later. */
  let isIdle = false;
  let samples = 0;
  const onMessage = (message: FromDecoder): void => {
    isIdle ||= message.type === 'done' || message.type === 'failed';
    put(message);
  };
  const onError = (error: unknown): void => {
    isIdle = false;
    put(crashed(error));
  };
  const onExit = (): void => {
    if (!isIdle) put(failed('worker_crashed', 'The decoder stopped.'));
    isIdle = false;
  };
  thread.on('message', onMessage).on('error', onError).on('exit', onExit);
  post({ type: 'start', format, isLive, hasFfmpeg: ffmpeg !== undefined });
  const cancel = (): void => put(failed('aborted', 'The decoding was cancelled.'));
  signal?.addEventListener('abort', cancel, { once: true });

  const waitForMessage = async (): Promise<void> => {
    let waited = 0;
    const watch = setInterval(() => {
      waited += STALL_MS;
      if (!hungry && waited >= (runs.size > 0 ? FFMPEG_STALL_MS : STALL_MS))
        put(failed('invalid_audio', 'The audio cannot be decoded: the decoder makes no progress.'));
    }, STALL_MS);
    await new Promise<void>((resolve) => {
      onArrival = resolve;
    });
    clearInterval(watch);
  };

  try {
    for (;;) {
      if (signal?.aborted === true) cancel();
      const message = inbox.find(({ type }) => type === 'failed') ?? inbox.shift();
      if (message === undefined) await waitForMessage();
      else if (message.type === 'done') return onNotes?.(message.notes);
      else if (message.type === 'failed')
        throw new EngineError(message.code, message.message, { cause: message.cause });
      else if (message.type === 'piece') {
        samples += message.samples.length;
        yield message.samples;
        post({ type: 'taken' });
      } else if (message.type === 'ffmpeg') {
        if (ffmpeg !== undefined) void start(ffmpeg, message.input, message.output);
      } else feed().catch((error: unknown) => put(crashed(error)));
    }
  } finally {
    signal?.removeEventListener('abort', cancel);
    thread.off('message', onMessage).off('error', onError).off('exit', onExit);
    const isOver = isIdle && !hungry && runs.size === 0;
    for (const stop of runs) stop.abort();
    // A thread that still expects bytes must not be reused: they would get into its next recording.
    await release(isOver, samples);
  }
}
