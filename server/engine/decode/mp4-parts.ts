/** Finds the MP4s, and what else was joined to them, in a file and in bytes that come: each begins where a box would. */
import type { FileHandle } from 'node:fs/promises';
import { SNIFF_BYTES, SNIFF_BYTES_MIN, id3Bytes, sniffFormat, type AudioFormat } from './audio-format.ts';
import { textOf, type ByteReader } from './bytes.ts';
import { PARTS_MAX } from './codec.ts';
import { FragmentTimes } from './mp4-fragments.ts';
import { INDEX_MAX, indexMissing, isBox, secondsIn, sizeOf, soundIn } from './mp4.ts';
import { EngineError } from '../port.ts';

/** In a file. */
const BOXES_MAX = 100_000;
/** How far ahead a repeated index and the head of the fragment behind it are read, bytes. */
const GOES_ON_MAX = 1 << 20;
/** A fragment without its sound. */
const FRAGMENT_MAX = 1 << 24;
/** Boxes that no MP4 begins with. */
const INNER = new Set('moov moof mdat free skip wide styp sidx ssix mfra emsg prft uuid meta'.split(' '));
/** What may stand between an index and its first fragment. */
const BETWEEN = new Set(['free', 'skip', 'styp', 'sidx', 'ssix', 'emsg', 'prft']);

/** Bytes from a place behind the next one on; fewer only at the end. */
type Ahead = (at: number, length: number) => Promise<Uint8Array>;

interface Box {
  type: string;
  /** With its head; infinite where it goes to the end. */
  size: number;
  headBytes: number;
}

/** The box at a place; null where there is none, or one that makes no sense. */
async function boxAt(ahead: Ahead, at = 0): Promise<Box | null> {
  const short = await ahead(at, 8);
  if (!isBox(short)) return null;
  const head = short[3] === 1 ? await ahead(at, 16) : short;
  const { size, headBytes } = sizeOf(head);
  return size < headBytes ? null : { type: textOf(head, 4, 8), size, headBytes };
}

/** Boxes behind which another recording may begin. */
const OF_A_RECORDING = new Set(['moov', 'moof', 'mdat']);
/** Formats without a mark: the head of a box may look like one. */
const FRAMED = new Set<AudioFormat | null>(['mp3', 'aac', 'ac3', 'eac3']);

/** One MP4 whose boxes pass by. */
class Passing {
  #hasBegun = false;
  index: Uint8Array | null = null;
  times: FragmentTimes | null = null;

  enter(index: Uint8Array): void {
    if (this.index !== null) return;
    this.index = index;
    const times = new FragmentTimes(index);
    if (times.areAny) this.times = times;
  }

  /** The format of another recording that begins instead of the box; null where none does. */
  async joined(ahead: Ahead, box: Box | null): Promise<AudioFormat | null> {
    if (box !== null && OF_A_RECORDING.has(box.type)) this.#hasBegun = true;
    if (!this.#hasBegun || (box !== null && INNER.has(box.type))) return null;
    if (box?.type === 'ftyp') return (await this.#goesOn(ahead)) ? null : 'mp4';
    const head = await ahead(0, box === null ? SNIFF_BYTES : SNIFF_BYTES_MIN);
    const format = id3Bytes(head) > 0 ? 'mp3' : sniffFormat(head);
    return box !== null && FRAMED.has(format) ? null : format;
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
  /** Whether the times of its fragments go back, so that it is to be read by {@link mp4Bytes}. */
  goesBack: boolean;
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
  const budget = { boxes: BOXES_MAX };
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

/** One MP4 of a file, up to where another recording begins, or to the end of all where nothing else is known. */
async function readPart(
  file: FileHandle,
  start: number,
  size: number,
  budget: { boxes: number },
): Promise<{ part: () => Mp4Part; end: number; next: AudioFormat | null }> {
  const passing = new Passing();
  let end = size;
  let next: AudioFormat | null = null;
  let goesBack = false;
  let position = start;
  for (; budget.boxes > 0 && position < size; budget.boxes -= 1) {
    const from = position;
    const ahead: Ahead = async (at, length) => {
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, from + at);
      return buffer.subarray(0, bytesRead);
    };
    const box = await boxAt(ahead);
    next = await passing.joined(ahead, box);
    if (next !== null) end = position;
    // Behind what is no box, nothing is known.
    if (next !== null || box === null) break;
    position += box.size;
    const length = box.size - box.headBytes;
    if (box.type === 'moov' && passing.index === null) {
      const index =
        length > INDEX_MAX && length !== Infinity ? null : await ahead(box.headBytes, Math.min(length, INDEX_MAX));
      if (index === null || (length !== Infinity && index.length < length)) break;
      passing.enter(index);
    }
    if (box.type === 'moof' && length <= FRAGMENT_MAX)
      goesBack = passing.times?.place(await ahead(box.headBytes, length)) === true || goesBack;
  }
  const { index } = passing;
  const part = (): Mp4Part => {
    if (index === null) throw indexMissing();
    return { start, end, ...soundIn(index), seconds: secondsIn(index), goesBack };
  };
  return { part, end, next };
}

/** The bytes of one MP4, up to where another recording begins, with the times of its fragments as they are to be heard. Only its index and its fragments' heads are held. */
export async function* mp4Bytes(bytes: ByteReader): AsyncGenerator<Uint8Array> {
  const passing = new Passing();
  const ahead: Ahead = async (at, length) => (await bytes.peek(at + length)).subarray(at, at + length);
  for (;;) {
    const box = await boxAt(ahead);
    if ((await passing.joined(ahead, box)) !== null) return;
    let left = box?.size ?? Infinity;
    if (box !== null && left <= FRAGMENT_MAX && ['moov', 'moof', 'sidx'].includes(box.type)) {
      const whole = (await ahead(0, left)).slice();
      if (whole.length === left) {
        const content = whole.subarray(box.headBytes);
        if (box.type === 'moov') passing.enter(content);
        else if (box.type === 'moof') passing.times?.place(content);
        // Its times would go before those of the fragments.
        else whole.set(Buffer.from('free'), 4);
        await bytes.skip(left);
        left = 0;
        yield whole;
      }
    }
    while (left > 0) {
      const piece = await bytes.upTo(left);
      if (piece === null) return;
      left -= piece.length;
      yield piece;
    }
  }
}

/** Goes past tags to what was joined behind the MP4s that were read; null where it is nothing known. */
export async function behindMp4(bytes: ByteReader): Promise<AudioFormat | null> {
  for (;;) {
    const head = (await bytes.peek(SNIFF_BYTES)).subarray(0, SNIFF_BYTES);
    const tag = id3Bytes(head);
    if (tag === 0) return sniffFormat(head);
    await bytes.skip(tag);
  }
}
