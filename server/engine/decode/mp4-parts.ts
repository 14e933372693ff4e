/** Finds the MP4s, and what else was joined to them, in a file and in bytes that come: each begins where a box would. */
import type { FileHandle } from 'node:fs/promises';
import { SNIFF_BYTES, beginningOf, id3Bytes, type AudioFormat } from './audio-format.ts';
import { ByteReader } from './bytes.ts';
import { PARTS_MAX } from './codec.ts';
import { untilJoined, untilNext } from './joins.ts';
import { Mending } from './mp4-damage.ts';
import { moveSound, soundBehind } from './mp4-fragments.ts';
import { Passing } from './mp4-passing.ts';
import { INDEX_MAX, boxAt, indexMissing, secondsIn, soundIn, type Ahead } from './mp4.ts';
import { EngineError } from '../port.ts';

/** Boxes of a file; and pieces of its damaged MP4s, each at most one box. */
const BOXES_MAX = 100_000;
const PIECES_MAX = 4 * BOXES_MAX;
const READ_BYTES = 1 << 16;
/** A fragment without its sound. */
const FRAGMENT_MAX = 1 << 24;
/** The boxes whose content is read. */
const READ = new Set(['moov', 'moof', 'sidx']);
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
  /** Whether another recording may hide at its end. */
  mayHide: boolean;
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
    const isCut = box !== null && from + box.size > size && (passing.times === null || box.size !== Infinity);
    if (box === null || !(await passing.owns(ahead, box)) || isCut) {
      // What was taken for a whole fragment may have been cut.
      if (passing.times !== null) passing = new Passing();
      else passing.goBack();
      end = await endOf(file, start + passing.position, passing, budget);
      break;
    }
    passing.pass(box);
    if (box.type === 'moof' && length <= FRAGMENT_MAX)
      passing.isMended = passing.times?.place(await ahead(box.headBytes, length)) === true || passing.isMended;
  }
  const { index, isMended, mayHide, next } = passing;
  const part = (): Mp4Part => {
    if (index === null) throw indexMissing();
    return { start, end, ...soundIn(index), seconds: secondsIn(index), isMended, mayHide };
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
      passing.isDoubtful = true;
      if (passing.times === null) return yield* lastBytes(bytes, passing, mending);
      await mending.skip(bytes);
      continue;
    }
    const isRead = READ.has(box.type) && box.size <= FRAGMENT_MAX;
    const isWhole = async (): Promise<boolean> => passing.owns(ahead, await boxAt(ahead, box.size), box.size);
    if (isRead && box.type !== 'moov' && passing.times !== null && !(await isWhole())) {
      // The head lost bytes: ffmpeg would read it wrong.
      passing.isDoubtful = true;
      await mending.skip(bytes, box.headBytes);
      continue;
    }
    passing.isMended ||= mending.isAny;
    yield* mending.rest();
    passing.pass(box);
    const whole = isRead ? (await ahead(0, box.size)).slice() : null;
    if (whole?.length !== box.size) {
      const isSound = box.type === 'mdat' && passing.index !== null && passing.times === null;
      const isSearched = passing.times !== null && box.size !== Infinity;
      const given = yield* isSound ? untilJoined(bytes, box.size) : mending.passing(bytes, box.size, isSearched);
      passing.isDoubtful ||= given < box.size;
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
  if (passing.isAllBefore) passing.next = yield* untilNext(bytes, true);
  else yield* mending.passing(bytes, Infinity, false);
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
