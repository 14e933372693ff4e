import { setTimeout as delay } from 'node:timers/promises';
import {
  SNIFF_BYTES,
  SNIFF_BYTES_MIN,
  TEXT,
  formatName,
  id3Bytes,
  isBuiltIn,
  looksLike,
  sniffFormat,
} from './audio-format.ts';
import type { AudioFormat } from './audio-format.ts';
import { ByteReader, joined, viewOf } from './bytes.ts';
import { needsFfmpeg, notARecording, searchFrames, unknownAudio } from './codec.ts';
import { BARE, Ends } from './ends.ts';
import { decodeWithFfmpeg, findFfmpeg } from './ffmpeg.ts';
import { nextRecording, ownBytes } from './joins.ts';
import { KeptBytes } from './kept-bytes.ts';
import { FRAMES_WITHIN_BYTES } from './mpeg-frames.ts';
import { withMore } from './notes.ts';
import { ByteQueue } from './queue.ts';
import { behindMp4, mp4Bytes } from './mp4-parts.ts';
import { Passing } from './mp4-passing.ts';
import { openLiveMp4 } from './mp4.ts';
import { decodeParts, type DecodePart } from './parts.ts';
import { decodeInThread, type Following } from './thread.ts';
import {
  EngineError,
  type RecordingNote,
  type StreamBeginning,
  type StreamDecoder,
  type StreamDecoderEvents,
  type StreamFormat,
} from '../port.ts';

/** Bytes waiting for the decoder before the sender is asked to pause; half a minute of speech as browsers record it. */
const QUEUE_BYTES_MAX = 1 << 18;

/** A recording whose codec is not built in tells so in its header. */
const HEADER_BYTES_MAX = 1 << 20;

/** ffmpeg does not tell when it is done with what it was given: after this long without audio it is taken to be. */
const QUIET_MS = 200;
/** How long its first sound is waited for. */
const FIRST_SOUND_MS = 1000;

/** Opens the decoder of a live stream, which runs in a thread of its own. The content decides where it contradicts the announced format. */
export function openStreamDecoder(format: StreamFormat, events: StreamDecoderEvents): StreamDecoder {
  const decoder = new LiveDecoder(events);
  const finished = decoder.run(format);
  return {
    push: (bytes) => decoder.queue.push(bytes),
    drained: () => decoder.queue.drained(),
    settled: () => decoder.settled(),
    end: () => {
      decoder.queue.end();
      return finished;
    },
    close: () => decoder.close(),
    doubt: () => decoder.sight.doubt,
    notes: () => decoder.notes,
  };
}

/** What a stream shows of itself before its format is clear. */
interface Sight {
  began: StreamBeginning;
  /** What it is refused with if nothing more comes. */
  doubt: EngineError | null;
}

class LiveDecoder {
  readonly queue = new ByteQueue(QUEUE_BYTES_MAX);
  readonly #events: StreamDecoderEvents;
  readonly #closing = new AbortController();
  readonly #closed = new Promise<void>((resolve) => {
    this.#closing.signal.addEventListener('abort', () => resolve());
  });
  /** Resolves with the first of what ffmpeg gives, once that takes part. */
  #piped: Promise<void> | null = null;
  #pieces = 0;
  #isTaken = true;
  notes: readonly RecordingNote[] = [];
  readonly sight: Sight = { began: 'unknown', doubt: null };

  constructor(events: StreamDecoderEvents) {
    this.#events = events;
  }

  /** Never rejects. */
  async run(announced: StreamFormat): Promise<void> {
    const { signal } = this.#closing;
    try {
      for await (const piece of this.#decode(announced)) {
        this.#pieces += 1;
        // Who closes the stream may never take the piece.
        this.#isTaken = false;
        await Promise.race([this.#events.audio(toS16(piece)), this.#closed]);
        this.#isTaken = true;
        if (signal.aborted) return;
      }
      if (this.#pieces === 0) throw new EngineError('invalid_audio', 'The stream holds no audio.');
    } catch (error) {
      if (signal.aborted) return;
      const failure =
        error instanceof EngineError
          ? error
          : new EngineError('worker_crashed', 'The audio cannot be decoded.', { cause: error });
      this.#events.error(failure, this.sight.began);
    } finally {
      this.queue.close();
    }
  }

  async settled(): Promise<void> {
    await this.queue.settled();
    if (this.#piped === null) return;
    await Promise.race([this.#piped, this.#closed, delay(FIRST_SOUND_MS, undefined, { ref: false })]);
    for (let seen = -1; !this.#closing.signal.aborted && (seen !== this.#pieces || !this.#isTaken);) {
      seen = this.#pieces;
      await delay(QUIET_MS);
    }
  }

  close(): void {
    this.#closing.abort();
    this.queue.close();
  }

  async *#decode(announced: StreamFormat): AsyncGenerator<Float32Array> {
    const { signal } = this.#closing;
    const { format, head } = await identify(this.queue, announced, this.sight);
    const options: Following = {
      isLive: true,
      signal,
      ffmpeg: await findFfmpeg(),
      onNotes: (notes) => void (this.notes = notes),
      onFfmpeg: (first) => void (this.#piped = first),
    };
    yield* this.#recording(after(head, this.queue), format, options);
  }

  /** With a decoder of ours where there is one, else, or when that one does not know the codec inside, with ffmpeg. */
  async *#recording(
    source: AsyncIterable<Uint8Array>,
    format: AudioFormat,
    options: Following,
    isLater = false,
  ): AsyncGenerator<Float32Array> {
    const bytes = new KeptBytes(source, HEADER_BYTES_MAX);
    let refusal = needsFfmpeg(formatName(format));
    if (isBuiltIn(format)) {
      try {
        for await (const piece of decodeInThread(bytes, format, options)) {
          bytes.forget();
          yield piece;
        }
        return;
      } catch (error) {
        if (!(error instanceof EngineError) || error.code !== 'unsupported_format') throw error;
        refusal = error;
      }
    }
    const whole = bytes.again();
    if (options.ffmpeg === undefined || whole === null) throw refusal;
    this.#piped = Promise.resolve();
    yield* decodeParts(this.#recordings(options.ffmpeg, whole, format, isLater), options);
  }

  /** A recording that ffmpeg decodes, and those that were joined to it, one after the other. */
  async *#recordings(
    ffmpeg: string,
    source: AsyncIterable<Uint8Array>,
    first: AudioFormat,
    isFirstLater: boolean,
  ): AsyncGenerator<DecodePart | null> {
    const ends = new Ends();
    const bytes = new ByteReader(ends.passing(source));
    let isLater = isFirstLater;
    for (let format: AudioFormat | null = first, isFirst = true; format !== null; isFirst = false) {
      const known: AudioFormat = format;
      if (!isFirst && isBuiltIn(known)) return yield (options) => this.#recording(restOf(bytes), known, options, true);
      const passing = new Passing();
      const own = known === 'mp4' ? mp4Bytes(bytes, passing) : ownBytes(bytes, known);
      const end = new Ends();
      end.meet(known);
      // Who ends a loop over it does not end it.
      const read = new KeptBytes(end.passing(own), 0);
      const input = { bytes: read, tracks: known === 'matroska' ? ('all' as const) : [0], isLater };
      isLater = true;
      // A video is taken as a file only.
      if (known === 'other') yield null;
      else
        yield known === 'mp4'
          ? (options) => this.#mp4(ffmpeg, input, options)
          : (options) => decodeWithFfmpeg(ffmpeg, input, known, options);
      // What ffmpeg did not take.
      for await (const _ of read);
      format = known === 'mp4' ? await behindMp4(bytes) : await nextRecording(bytes, true);
      ends.meet(known);
      const mayHide = known === 'mp4' ? passing.mayHide : !BARE.has(known);
      if (mayHide && (format === null ? ends : end).hideRecording) yield null;
    }
  }

  async *#mp4(
    ffmpeg: string,
    { bytes, isLater }: { bytes: AsyncIterable<Uint8Array>; isLater: boolean },
    options: Following,
  ): AsyncGenerator<Float32Array> {
    const { began } = this.sight;
    // What its index tells is told to the sender.
    this.sight.began = 'other';
    const { leftOut, ...input } = await openLiveMp4(bytes);
    this.sight.began = began;
    const onNotes = (notes: readonly RecordingNote[]): void =>
      options.onNotes?.(withMore(notes, 'tracks_left_out', leftOut));
    yield* decodeWithFfmpeg(ffmpeg, { ...input, isLater }, 'mp4', { ...options, onNotes });
  }
}

/** Whether more bytes would change nothing about what is no recording. Padding of MP3 is letters without a blank. */
function isClear(head: Uint8Array): boolean {
  const seen = looksLike(head);
  if (seen !== null && seen !== TEXT) return true;
  return head.length >= SNIFF_BYTES_MIN && (seen === null || head.includes(0x20));
}

/** New bytes between two looks for the format, an eighth of all once that is more. */
const LOOK_BYTES = 512;

/**
 * Reads until the format is clear; gives the bytes from where the audio begins. Tells what is seen on the way.
 * @throws EngineError when it does not become clear
 */
async function identify(
  queue: ByteQueue,
  announced: StreamFormat,
  sight: Sight,
): Promise<{ format: AudioFormat; head: Uint8Array }> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let lookAt = 1;
  let tagBytes = 0;
  // These two can be entered in the middle: their decoders find the next frame.
  const isFramed = announced === 'mp3' || announced === 'aac';
  for (;;) {
    const next = await queue.next();
    const ended = next.done === true;
    if (next.done !== true) {
      pieces.push(next.value);
      bytes += next.value.length;
    }
    if (bytes < lookAt && !ended) continue;
    let head = joined(pieces);
    // A tag can be megabytes of picture; it is dropped as it comes.
    const dropped = Math.min(tagBytes, head.length);
    head = head.subarray(dropped);
    tagBytes -= dropped;
    if (tagBytes === 0) tagBytes = id3Bytes(head);
    if (tagBytes > 0) sight.began = 'audio';
    pieces = [head];
    bytes = head.length;
    lookAt = 1;
    if ((tagBytes > 0 || bytes === 0) && !ended) continue;
    if (bytes === 0) throw new EngineError('invalid_audio', 'The stream is empty.');
    const start = head.subarray(0, SNIFF_BYTES);
    const format = bytes < SNIFF_BYTES_MIN && !ended ? null : sniffFormat(start);
    const found = format === null ? searchFrames(head) : { format, at: 0 };
    if (found !== null) {
      Object.assign(sight, { began: 'audio', doubt: null } satisfies Sight);
      return { format: found.format, head: head.subarray(found.at) };
    }
    sight.doubt = notARecording('stream', head);
    const isEnough = ended || bytes >= (sight.doubt === null ? FRAMES_WITHIN_BYTES : SNIFF_BYTES);
    if (sight.doubt !== null && (isEnough || (!isFramed && isClear(start)))) {
      sight.began = 'other';
      throw sight.doubt;
    }
    if (isEnough && isFramed) return { format: announced, head };
    if (isEnough) throw unknownAudio('stream', head);
    lookAt = bytes < SNIFF_BYTES_MIN ? 1 : bytes + Math.max(LOOK_BYTES, bytes >> 3);
  }
}

async function* restOf(bytes: ByteReader): AsyncGenerator<Uint8Array> {
  for (let piece = await bytes.upTo(Infinity); piece !== null; piece = await bytes.upTo(Infinity)) yield piece;
}

async function* after(head: Uint8Array, queue: ByteQueue): AsyncGenerator<Uint8Array> {
  yield head;
  yield* queue;
}

function toS16(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * 2);
  const view = viewOf(bytes);
  samples.forEach((sample, index) =>
    view.setInt16(index * 2, Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), true),
  );
  return bytes;
}
