import type { MessagePort } from 'node:worker_threads';
import type { BuiltInFormat } from './audio-format.ts';
import { throughFfmpeg } from './ffmpeg-run.ts';
import { giveOver, takenOver } from './over-port.ts';
import { leaseThread } from './thread-pool.ts';
import type { FromDecoder, ToDecoder } from './worker.ts';
import { EngineError } from '../port.ts';
import type { EngineErrorCode, RecordingNote } from '../port.ts';

/** A decoder that says nothing for this long while it is waited for, and does not wait for bytes, has lost itself in damaged audio. */
const STALL_MS = 30_000;
/** Where it waits for ffmpeg, which may wait for its turn. */
const FFMPEG_STALL_MS = 60_000;

/** What a decoding is ended by, and what it tells at its end: what was done with the recording. Live sound waits for nothing that it need not. */
export interface Following {
  signal?: AbortSignal | undefined;
  onNotes?: ((notes: readonly RecordingNote[]) => void) | undefined;
  isLive?: boolean;
  /** How many processes may still be started for the recording and those joined to it. */
  budget?: { processes: number };
  /** Where there is one, for what the decoder needs it for. */
  ffmpeg?: string | undefined;
  /** Called when it is started, with a promise of its first sound: from then on sound may come later than the next bytes are asked for. */
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
 * Runs a built-in decoder in a thread; gives 16 kHz mono. The source is read when all that came of the bytes before is taken, and is
 * left to its owner. Leaving the loop early ends the thread; else it may serve another recording. @throws EngineError
 */
export async function* decodeInThread(
  source: AsyncIterable<Uint8Array>,
  format: BuiltInFormat,
  { signal, onNotes, isLive = false, ffmpeg, onFfmpeg }: Following = {},
): AsyncGenerator<Float32Array> {
  const { thread, release } = leaseThread();
  /** Those that run, by what ends them. */
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
    const pieces = run(path, takenOver(input), stop);
    await giveOver(output, pieces);
    stop.abort();
    await pieces.return(undefined);
  };
  const post = (message: ToDecoder): void => thread.postMessage(message);
  const inbox: FromDecoder[] = [];
  let heard = (): void => undefined;
  const put = (message: FromDecoder): void => {
    inbox.push(message);
    heard();
  };

  const bytes = source[Symbol.asyncIterator]();
  /** Between a request for bytes and their arrival, which is nobody's stall. */
  let hungry = false;
  const feed = async (): Promise<void> => {
    hungry = true;
    const next = await bytes.next();
    hungry = false;
    if (next.done === true) return post({ type: 'end' });
    // A copy: a view would take along all of the buffer that it is a part of.
    const copy = new Uint8Array(next.value);
    thread.postMessage({ type: 'bytes', bytes: copy } satisfies ToDecoder, [copy.buffer]);
  };
  /** Whether the thread has said its last word on this recording, which the reader may come to only later. */
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
      heard = resolve;
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
    // Bytes still on their way would get into the next recording.
    await release(isOver, samples);
  }
}
