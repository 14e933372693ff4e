/** Finds the MP4s, and what else was joined to them, in a file and in bytes that come: each begins where a box would. */
import type { FileHandle } from 'node:fs/promises';
import {
  SNIFF_BYTES,
  SNIFF_BYTES_MIN,
  afterZeros,
  beginningOf,
  id3Bytes,
  sniffFormat,
  type AudioFormat,
} from './audio-format.ts';
import { ByteReader } from './bytes.ts';
import { PARTS_MAX } from './codec.ts';
import { SEARCHED_BYTES, markAhead, untilJoined } from './joins.ts';
import { Mending } from './mp4-damage.ts';
import { FragmentTimes, moveSound, soundBehind } from './mp4-fragments.ts';
import {
  GOES_ON_MAX,
  INDEX_MAX,
  UNKNOWN_MAX,
  boxAt,
  indexMissing,
  lastChunk,
  secondsIn,
  soundIn,
  type Ahead,
  type Box,
} from './mp4.ts';
import { findFrames } from './mpeg-frames.ts';
import { EngineError } from '../port.ts';

/** Boxes of a file; and pieces of its damaged MP4s, each at most one box. */
const BOXES_MAX = 100_000;
const PIECES_MAX = 4 * BOXES_MAX;
const READ_BYTES = 1 << 16;
/** A fragment without its sound. */
const FRAGMENT_MAX = 1 << 24;
/** Boxes that no MP4 begins with. */
const INNER = new Set('moov moof mdat free skip wide styp sidx ssix mfra emsg prft uuid meta'.split(' '));
/** Boxes that stand only inside others: where one comes next, bytes were lost. */
const INSIDE = new Set(['mfhd', 'traf', 'tfhd', 'tfdt', 'trun']);
/** Boxes of a whole MP4 in fragments. */
const KNOWN = new Set([...INNER, 'ftyp', 'mdat', 'pdin', 'udta']);
/** The boxes whose content is read. */
const READ = new Set(['moov', 'moof', 'sidx']);
/** What may stand between an index and its first fragment. */
const BETWEEN = new Set(['free', 'skip', 'styp', 'sidx', 'ssix', 'emsg', 'prft']);

/** Boxes behind which another recording may begin. */
const OF_A_RECORDING = new Set(['moov', 'moof', 'mdat']);
/** Formats without a mark: the head of a box may look like one. */
const FRAMED = new Set<AudioFormat | null>(['mp3', 'aac', 'ac3', 'eac3']);

/** One MP4 whose boxes pass by. */
class Passing {
  #hasBegun = false;
  index: Uint8Array | null = null;
  /** Of one in fragments. */
  times: FragmentTimes | null = null;
  /** Bytes before the next box. */
  position = 0;
  /** Whether ffmpeg hears all of it only through {@link mp4Bytes}. */
  isMended = false;
  /** What begins behind it, once that is found. */
  next: AudioFormat | null = null;

  enter(index: Uint8Array): void {
    if (this.index !== null) return;
    this.index = index;
    const times = new FragmentTimes(index);
    if (times.areAny) this.times = times;
  }

  /** Whether a box may belong to this MP4. Between fragments, a box of an unknown type does where a known one follows soon. */
  async owns(ahead: Ahead, box: Box | null, from = 0): Promise<boolean> {
    if (this.times === null) return box !== null;
    let [next, at] = [box, from];
    for (let count = 0; next !== null && count < UNKNOWN_MAX && at <= GOES_ON_MAX; count += 1) {
      if (KNOWN.has(next.type)) return true;
      if (INSIDE.has(next.type)) return false;
      at += next.size;
      next = at <= GOES_ON_MAX ? await boxAt(ahead, at) : null;
    }
    return false;
  }

  /** Whether all of its sound begins before the next box. */
  get isAllBefore(): boolean {
    return this.index === null || lastChunk(this.index) < this.position;
  }

  /** Whether another recording begins instead of the box. */
  async hasEnded(ahead: Ahead, box: Box | null): Promise<boolean> {
    this.next = await this.#joined(ahead, box);
    return this.next !== null;
  }

  async #joined(ahead: Ahead, box: Box | null): Promise<AudioFormat | null> {
    if (box !== null && OF_A_RECORDING.has(box.type)) this.#hasBegun = true;
    if (!this.#hasBegun || (box !== null && INNER.has(box.type))) return null;
    if (box?.type === 'ftyp') return (await this.#goesOn(ahead)) ? null : 'mp4';
    const head = await ahead(0, box === null ? SNIFF_BYTES : SNIFF_BYTES_MIN);
    if (box === null && id3Bytes(head) > 0) return 'mp3';
    // The size of a box may look like the head of a video.
    const format = box === null ? beginningOf(head) : sniffFormat(head);
    // A single header may stand in any sound.
    const isOne = (format === 'mp3' || format === 'aac') && findFrames(head)?.at !== afterZeros(head);
    return isOne || (box !== null && FRAMED.has(format)) ? null : format;
  }

  /** Whether a fragment follows, as some recorders begin each like a file: without an index, or with the same one while the times go on. */
  async #goesOn(ahead: Ahead): Promise<boolean> {
    const { index, times } = this;
    if (index === null || times === null) return false;
    let isSame = false;
    for (let at = 0; at < GOES_ON_MAX;) {
      const box = await boxAt(ahead, at);
      if (box === null || at + box.size > GOES_ON_MAX) return false;
      const content = (): Promise<Uint8Array> => ahead(at + box.headBytes, box.size - box.headBytes);
      if (box.type === 'moof') return !isSame || times.goesOn(await content());
      if (box.type === 'moov') {
        isSame = box.size - box.headBytes === index.length && Buffer.from(index).equals(await content());
        if (!isSame) return false;
      } else if (at > 0 && !BETWEEN.has(box.type)) return false;
      at += box.size;
    }
    return false;
  }
}

/** One of the MP4s in a file. */
export interface Mp4Part {
  /** Bytes of the file. */
  start: number;
  end: number;
  /** Name of the codec of its first track, and how many sound tracks it has. */
  codec: string;
  tracks: number;
  /** Seconds that it says it has; null where it does not. */
  seconds: number | null;
  /** Whether it is damaged, or the times of its fragments go back, so that it is to be read by {@link mp4Bytes}. */
  isMended: boolean;
}

/** MP4s joined in a file: the first one, those behind it, null for one that cannot be heard, and where what was joined in another format begins. */
export interface Mp4File {
  first: Mp4Part;
  later: (Mp4Part | null)[];
  behind: number | null;
}

/** @throws EngineError when the first has no sound, or protected sound, or no whole index */
export async function readMp4(file: FileHandle, start: number): Promise<Mp4File> {
  const { size } = await file.stat();
  const budget = { boxes: BOXES_MAX, pieces: PIECES_MAX };
  const first = await readPart(file, start, size, budget);
  const later: (Mp4Part | null)[] = [];
  let { end, next } = first;
  while (next === 'mp4' && later.length < PARTS_MAX) {
    const one = await readPart(file, end, size, budget);
    later.push(heardOrNot(one.part));
    ({ end, next } = one);
  }
  return { first: first.part(), later, behind: next === null ? null : end };
}

function heardOrNot(part: () => Mp4Part): Mp4Part | null {
  try {
    return part();
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

/** One MP4 of a file, up to where another recording begins, or to the end of all where none is known to. */
async function readPart(
  file: FileHandle,
  start: number,
  size: number,
  budget: { boxes: number; pieces: number },
): Promise<{ part: () => Mp4Part; end: number; next: AudioFormat | null }> {
  let passing = new Passing();
  let end = size;
  for (; budget.boxes > 0 && start + passing.position < size; budget.boxes -= 1) {
    const from = start + passing.position;
    const ahead: Ahead = async (at, length) => {
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, from + at);
      return buffer.subarray(0, bytesRead);
    };
    const box = await boxAt(ahead);
    if (await passing.hasEnded(ahead, box)) {
      end = from;
      break;
    }
    const length = box === null ? 0 : box.size - box.headBytes;
    if (box?.type === 'moov' && passing.index === null) {
      const index =
        length > INDEX_MAX && length !== Infinity ? null : await ahead(box.headBytes, Math.min(length, INDEX_MAX));
      if (index === null || (length !== Infinity && index.length < length)) break;
      passing.enter(index);
    }
    const isCut = passing.times !== null && box !== null && box.size !== Infinity && from + box.size > size;
    if (box === null || !(await passing.owns(ahead, box)) || isCut) {
      // What was taken for a whole fragment may have been cut.
      if (passing.times !== null) passing = new Passing();
      end = await endOf(file, start + passing.position, passing, budget);
      break;
    }
    passing.position += box.size;
    if (box.type === 'moof' && length <= FRAGMENT_MAX)
      passing.isMended = passing.times?.place(await ahead(box.headBytes, length)) === true || passing.isMended;
  }
  const { index, isMended, next } = passing;
  const part = (): Mp4Part => {
    if (index === null) throw indexMissing();
    return { start, end, ...soundIn(index), seconds: secondsIn(index), isMended };
  };
  return { part, end, next };
}

/** Where an MP4 ends that {@link mp4Bytes} gives from a place of a file on. */
async function endOf(file: FileHandle, from: number, passing: Passing, budget: { pieces: number }): Promise<number> {
  let end = from;
  const bytes = new ByteReader(
    (async function* pieces() {
      for (;;) {
        const { bytesRead, buffer } = await file.read(new Uint8Array(READ_BYTES), 0, READ_BYTES, end);
        if (bytesRead === 0) return;
        end += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    })(),
  );
  for await (const _ of mp4Bytes(bytes, passing)) {
    budget.pieces -= 1;
    if (budget.pieces <= 0) break;
  }
  return passing.next === null ? (await file.stat()).size : end - bytes.rest().length;
}

/**
 * The bytes of one MP4, up to where another recording begins, with the times of its fragments as they are to be heard. Between fragments, what
 * is no box is left out, and one that was cut is filled up. Only its index and its fragments' heads are held.
 */
export async function* mp4Bytes(bytes: ByteReader, passing = new Passing()): AsyncGenerator<Uint8Array> {
  const mending = new Mending();
  const ahead: Ahead = async (at, length) => (await bytes.peek(at + length)).subarray(at, at + length);
  for (;;) {
    const box = await boxAt(ahead);
    if (await passing.hasEnded(ahead, box)) return;
    if (mending.isTooMuch || (box === null && (await bytes.peek(1)).length === 0)) return;
    if (box === null || !(await passing.owns(ahead, box))) {
      if (passing.times === null) return yield* lastBytes(bytes, passing, mending);
      await mending.skip(bytes);
      continue;
    }
    const isRead = READ.has(box.type) && box.size <= FRAGMENT_MAX;
    const isWhole = async (): Promise<boolean> => passing.owns(ahead, await boxAt(ahead, box.size), box.size);
    if (isRead && box.type !== 'moov' && passing.times !== null && !(await isWhole())) {
      // The head lost bytes: ffmpeg would read it wrong.
      await mending.skip(bytes, box.headBytes);
      continue;
    }
    passing.isMended ||= mending.isAny;
    yield* mending.rest();
    passing.position += box.size;
    const whole = isRead ? (await ahead(0, box.size)).slice() : null;
    if (whole?.length !== box.size) {
      yield* mending.passing(bytes, box.size, passing.times !== null && box.size !== Infinity);
      continue;
    }
    const content = whole.subarray(box.headBytes);
    if (box.type === 'moov') passing.enter(content);
    else if (box.type === 'moof') {
      if (passing.times?.place(content) === true) passing.isMended = true;
      if (mending.isAny) moveSound(content, mending.given + (await soundBehind(ahead, box.size)));
    }
    // Its times would go before those of the fragments.
    else whole.set(Buffer.from('free'), 4);
    await bytes.skip(box.size);
    yield mending.whole(whole);
  }
}

/** The bytes behind the last box of an MP4 without fragments, up to where another recording begins. */
async function* lastBytes(bytes: ByteReader, passing: Passing, mending: Mending): AsyncGenerator<Uint8Array> {
  if (passing.isAllBefore) {
    yield* untilJoined(bytes, SEARCHED_BYTES);
    passing.next = await markAhead(bytes);
  }
  if (passing.next === null) yield* mending.passing(bytes, Infinity, false);
}

/** Goes past tags to what was joined behind the MP4s that were read; null where it is nothing known. */
export async function behindMp4(bytes: ByteReader): Promise<AudioFormat | null> {
  for (;;) {
    const head = (await bytes.peek(SNIFF_BYTES)).subarray(0, SNIFF_BYTES);
    const tag = id3Bytes(head);
    if (tag === 0) return beginningOf(head);
    await bytes.skip(tag);
  }
}
