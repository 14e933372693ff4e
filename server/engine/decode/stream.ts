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
import { ByteReader, joined } from './bytes.ts';
import { needsFfmpeg, notARecording, searchFrames, unknownAudio } from './codec.ts';
import { MAY_HOLD_BARE_FRAMES, Tail } from './ends.ts';
import { decodeWithFfmpeg, findFfmpeg } from './ffmpeg.ts';
import { nextRecording, ownBytes } from './joins.ts';
import { ReplayableBytes } from './kept-bytes.ts';
import { FRAMES_WITHIN_BYTES } from './mpeg-frames.ts';
import { withMore } from './notes.ts';
import { ByteQueue } from './queue.ts';
import { behindMp4, mp4Bytes } from './mp4-parts.ts';
import { Mp4Walk } from './mp4-walk.ts';
import { openLiveMp4 } from './mp4.ts';
import { toS16 } from './pcm.ts';
import { decodeParts, type DecodePart } from './parts.ts';
import { decodeInThread, type RecordingOptions } from './thread.ts';
import {
  EngineError,
  type RecordingNote,
  type StreamBeginning,
  type StreamDecoder,
  type StreamDecoderEvents,
  type StreamFormat,
} from '../port.ts';

/**
 * Bytes that may wait for the decoder before the sender has to pause: half a minute of speech as browsers record it.
 */
const QUEUE_BYTES_MAX = 1 << 18;

/** Bytes kept until a built-in decoder accepts the codec, so that ffmpeg can take over from the first byte. */
const HEADER_BYTES_MAX = 1 << 20;

/** ffmpeg does not report that it has decoded its input so far. This long without audio counts as done. */
const QUIET_MS = 200;
/** Longest wait for the first audio from ffmpeg. */
const FIRST_SOUND_MS = 1000;

/**
 * Opens the decoder of a live stream, which runs in a thread of its own. If the content contradicts the announced
 * format, the content decides.
 */
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
    doubt: () => decoder.firstLook.doubt,
    notes: () => decoder.notes,
  };
}

/** What the first bytes of a stream look like, until its format is clear. */
interface FirstLook {
  began: StreamBeginning;
  /** The refusal if no more bytes come. */
  doubt: EngineError | null;
}

class LiveDecoder {
  readonly queue = new ByteQueue(QUEUE_BYTES_MAX);
  readonly #events: StreamDecoderEvents;
  readonly #closing = new AbortController();
  readonly #closed = new Promise<void>((resolve) => {
    this.#closing.signal.addEventListener('abort', () => resolve());
  });
  /** Resolves when ffmpeg has given its first audio; null while no ffmpeg runs. */
  #firstFfmpegSound: Promise<void> | null = null;
  #pieces = 0;
  #isPieceTaken = true;
  notes: readonly RecordingNote[] = [];
  readonly firstLook: FirstLook = { began: 'unknown', doubt: null };

  constructor(events: StreamDecoderEvents) {
    this.#events = events;
  }

  /** Never rejects. */
  async run(announced: StreamFormat): Promise<void> {
    const { signal } = this.#closing;
    try {
      for await (const piece of this.#decode(announced)) {
        this.#pieces += 1;
        // After a close the listener may never take the piece.
        this.#isPieceTaken = false;
        await Promise.race([this.#events.audio(toS16(piece)), this.#closed]);
        this.#isPieceTaken = true;
        if (signal.aborted) return;
      }
      if (this.#pieces === 0) throw new EngineError('invalid_audio', 'The stream holds no audio.');
    } catch (error) {
      if (signal.aborted) return;
      const failure =
        error instanceof EngineError
          ? error
          : new EngineError('worker_crashed', 'The audio cannot be decoded.', { cause: error });
      this.#events.error(failure, this.firstLook.began);
    } finally {
      this.queue.close();
    }
  }

  async settled(): Promise<void> {
    await this.queue.settled();
    if (this.#firstFfmpegSound === null) return;
    await Promise.race([this.#firstFfmpegSound, this.#closed, delay(FIRST_SOUND_MS, undefined, { ref: false })]);
    for (let seen = -1; !this.#closing.signal.aborted && (seen !== this.#pieces || !this.#isPieceTaken);) {
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
    const { format, head } = await identify(this.queue, announced, this.firstLook);
    const options: RecordingOptions = {
      isLive: true,
      signal,
      ffmpeg: await findFfmpeg(),
      onNotes: (notes) => void (this.notes = notes),
      onFfmpeg: (first) => void (this.#firstFfmpegSound = first),
    };
    yield* this.#recording(after(head, this.queue), format, options);
  }

  /** Decodes with the built-in decoder. Falls back to ffmpeg if there is none, or if it does not know the codec. */
  async *#recording(
    source: AsyncIterable<Uint8Array>,
    format: AudioFormat,
    options: RecordingOptions,
    isLater = false,
  ): AsyncGenerator<Float32Array> {
    const bytes = new ReplayableBytes(source, HEADER_BYTES_MAX);
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
    const whole = bytes.replay();
    if (options.ffmpeg === undefined || whole === null) throw refusal;
    this.#firstFfmpegSound = Promise.resolve();
    yield* decodeParts(this.#recordings(options.ffmpeg, whole, format, isLater), options);
  }

  /** Yields a recording that ffmpeg decodes, then each recording joined to it; null for one that cannot be decoded. */
  async *#recordings(
    ffmpeg: string,
    source: AsyncIterable<Uint8Array>,
    first: AudioFormat,
    isFirstLater: boolean,
  ): AsyncGenerator<DecodePart | null> {
    const tailOfAll = new Tail();
    const bytes = new ByteReader(tailOfAll.watch(source));
    let isLater = isFirstLater;
    for (let format: AudioFormat | null = first, isFirst = true; format !== null; isFirst = false) {
      const known: AudioFormat = format;
      if (!isFirst && isBuiltIn(known)) return yield (options) => this.#recording(restOf(bytes), known, options, true);
      const walk = new Mp4Walk();
      const own = known === 'mp4' ? mp4Bytes(bytes, walk) : ownBytes(bytes, known);
      const tailOfOwn = new Tail();
      tailOfOwn.addFormat(known);
      // Unlike a generator, it stays open when ffmpeg stops reading early.
      const read = new ReplayableBytes(tailOfOwn.watch(own), 0);
      const input = { bytes: read, tracks: known === 'matroska' ? ('all' as const) : [0], isLater };
      isLater = true;
      // Live, `other` is a video, whose sound is decoded from files only.
      if (known === 'other') yield null;
      else
        yield known === 'mp4'
          ? (options) => this.#mp4(ffmpeg, input, options)
          : (options) => decodeWithFfmpeg(ffmpeg, input, known, options);
      // Read the bytes that ffmpeg did not take.
      for await (const _ of read);
      format = known === 'mp4' ? await behindMp4(bytes) : await nextRecording(bytes, true);
      tailOfAll.addFormat(known);
      const mayHideRecording = known === 'mp4' ? walk.mayHideRecording : !MAY_HOLD_BARE_FRAMES.has(known);
      if (mayHideRecording && (format === null ? tailOfAll : tailOfOwn).hidesRecording) yield null;
    }
  }

  async *#mp4(
    ffmpeg: string,
    { bytes, isLater }: { bytes: AsyncIterable<Uint8Array>; isLater: boolean },
    options: RecordingOptions,
  ): AsyncGenerator<Float32Array> {
    const { began } = this.firstLook;
    // The sender gets the errors that its index causes.
    this.firstLook.began = 'other';
    const { leftOut, ...input } = await openLiveMp4(bytes);
    this.firstLook.began = began;
    const onNotes = (notes: readonly RecordingNote[]): void =>
      options.onNotes?.(withMore(notes, 'tracks_left_out', leftOut));
    yield* decodeWithFfmpeg(ffmpeg, { ...input, isLater }, 'mp4', { ...options, onNotes });
  }
}

/** Whether more bytes cannot turn this into audio. MP3 padding looks like text without a blank, so such text may be. */
function isSureNotAudio(head: Uint8Array): boolean {
  const seen = looksLike(head);
  if (seen !== null && seen !== TEXT) return true;
  return head.length >= SNIFF_BYTES_MIN && (seen === null || head.includes(0x20));
}

/** Fewest new bytes between two looks for the format; later looks wait for an eighth of all bytes. */
const LOOK_BYTES = 512;

/**
 * Reads until the format is clear, and keeps `firstLook` up to date. Returns the bytes read, from the audio's start on.
 * @throws EngineError when the format does not become clear
 */
async function identify(
  queue: ByteQueue,
  announced: StreamFormat,
  firstLook: FirstLook,
): Promise<{ format: AudioFormat; head: Uint8Array }> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let lookAt = 1;
  let tagBytes = 0;
  // A stream of these two may start mid-frame: their decoders find the next frame.
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
    // A tag may hold megabytes of picture, so drop it as it comes.
    const dropped = Math.min(tagBytes, head.length);
    head = head.subarray(dropped);
    tagBytes -= dropped;
    if (tagBytes === 0) tagBytes = id3Bytes(head);
    if (tagBytes > 0) firstLook.began = 'audio';
    pieces = [head];
    bytes = head.length;
    lookAt = 1;
    if ((tagBytes > 0 || bytes === 0) && !ended) continue;
    if (bytes === 0) throw new EngineError('invalid_audio', 'The stream is empty.');
    const start = head.subarray(0, SNIFF_BYTES);
    const format = bytes < SNIFF_BYTES_MIN && !ended ? null : sniffFormat(start);
    const found = format === null ? searchFrames(head) : { format, at: 0 };
    if (found !== null) {
      Object.assign(firstLook, { began: 'audio', doubt: null } satisfies FirstLook);
      return { format: found.format, head: head.subarray(found.at) };
    }
    firstLook.doubt = notARecording('stream', head);
    const isEnough = ended || bytes >= (firstLook.doubt === null ? FRAMES_WITHIN_BYTES : SNIFF_BYTES);
    if (firstLook.doubt !== null && (isEnough || (!isFramed && isSureNotAudio(start)))) {
      firstLook.began = 'other';
      throw firstLook.doubt;
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
