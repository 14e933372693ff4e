/**
 * Finds joined MP4s, and the recording behind them, in a file and in a byte stream. Each begins where a box would. An
 * MP4 is either whole (all its sound in one index) or in fragments (`moof`), each with its own times.
 */
import type { FileHandle } from 'node:fs/promises';
import { SNIFF_BYTES, sniffFormatOrVideo, id3Bytes, type AudioFormat } from './audio-format.ts';
import { ByteReader } from './bytes.ts';
import { PARTS_MAX } from './codec.ts';
import { untilNextMark, untilNextRecording } from './joins.ts';
import { Mp4Repair } from './mp4-damage.ts';
import { moveSound, soundBehind } from './mp4-fragments.ts';
import { Mp4Walk } from './mp4-walk.ts';
import { INDEX_MAX, boxAt, indexMissing, secondsIn, soundIn, type PeekAt } from './mp4.ts';
import { EngineError } from '../port.ts';

/** The largest number of boxes read in a file; also of pieces read of its damaged MP4s, each at most one box. */
const BOXES_MAX = 100_000;
const PIECES_MAX = 4 * BOXES_MAX;
const READ_BYTES = 1 << 16;
/** Largest `moof` box. */
const FRAGMENT_MAX = 1 << 24;
/** Boxes to read as a whole. */
const READ = new Set(['moov', 'moof', 'sidx']);
/** One of the MP4s in a file. */
export interface Mp4Part {
  /** Offsets in the file. */
  start: number;
  end: number;
  /** Name of the first track's codec, and the number of sound tracks. */
  codec: string;
  tracks: number;
  /** Declared length; null if it declares none. */
  seconds: number | null;
  /** Whether to read it through {@link mp4Bytes}: it is damaged, or the times of its fragments go back. */
  needsRepair: boolean;
  /** Whether a hidden recording (see `ends.ts`) may be at its end. */
  mayHideRecording: boolean;
}

/** The MP4s joined in a file. */
export interface Mp4File {
  first: Mp4Part;
  /** The MP4s behind the first; null for one that cannot be decoded. */
  later: (Mp4Part | null)[];
  /** Offset of a joined recording of another format; null if there is none. */
  behind: number | null;
}

/** Finds the MP4s in a file. @throws EngineError if the first has no sound, or protected sound, or no complete index */
export async function readMp4(file: FileHandle, start: number): Promise<Mp4File> {
  const { size } = await file.stat();
  const budget = { boxes: BOXES_MAX, pieces: PIECES_MAX };
  const first = await readPart(file, start, size, budget);
  const later: (Mp4Part | null)[] = [];
  let { end, next } = first;
  while (next === 'mp4' && later.length < PARTS_MAX) {
    const found = await readPart(file, end, size, budget);
    later.push(playableOrNull(found.part));
    ({ end, next } = found);
  }
  return { first: first.part(), later, behind: next === null ? null : end };
}

function playableOrNull(part: () => Mp4Part): Mp4Part | null {
  try {
    return part();
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

/**
 * Reads one MP4 of a file, up to the next recording or the end of the file. `part` throws if the MP4 has no usable
 * sound.
 */
async function readPart(
  file: FileHandle,
  start: number,
  size: number,
  budget: { boxes: number; pieces: number },
): Promise<{ part: () => Mp4Part; end: number; next: AudioFormat | null }> {
  let walk = new Mp4Walk();
  let end = size;
  for (; budget.boxes > 0 && start + walk.position < size; budget.boxes -= 1) {
    const from = start + walk.position;
    const peekAt: PeekAt = async (at, length) => {
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, from + at);
      return buffer.subarray(0, bytesRead);
    };
    const box = await boxAt(peekAt);
    if (await walk.hasEnded(peekAt, box)) {
      end = from;
      break;
    }
    const length = box === null ? 0 : box.size - box.headBytes;
    if (box?.type === 'moov' && walk.index === null) {
      const index =
        length > INDEX_MAX && length !== Infinity ? null : await peekAt(box.headBytes, Math.min(length, INDEX_MAX));
      if (index === null || (length !== Infinity && index.length < length)) break;
      walk.enter(index);
    }
    const isCut = box !== null && from + box.size > size && (walk.times === null || box.size !== Infinity);
    if (box === null || !(await walk.owns(peekAt, box)) || isCut) {
      // The last fragment may have been cut: walk this MP4 again from its start.
      if (walk.times !== null) walk = new Mp4Walk();
      else walk.goBack();
      end = await endOf(file, start + walk.position, walk, budget);
      break;
    }
    walk.pass(box);
    if (box.type === 'moof' && length <= FRAGMENT_MAX)
      walk.needsRepair = walk.times?.place(await peekAt(box.headBytes, length)) === true || walk.needsRepair;
  }
  const { index, needsRepair, mayHideRecording, next } = walk;
  const part = (): Mp4Part => {
    if (index === null) throw indexMissing();
    return { start, end, ...soundIn(index), seconds: secondsIn(index), needsRepair, mayHideRecording };
  };
  return { part, end, next };
}

/** Offset at which {@link mp4Bytes} finds the end of a damaged MP4, reading from `from`. */
async function endOf(file: FileHandle, from: number, walk: Mp4Walk, budget: { pieces: number }): Promise<number> {
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
  for await (const _ of mp4Bytes(bytes, walk)) {
    budget.pieces -= 1;
    if (budget.pieces <= 0) break;
  }
  return walk.next === null ? (await file.stat()).size : end - bytes.rest().length;
}

/**
 * Yields the bytes of one MP4, up to the next recording, repaired for ffmpeg: the times of fragments never go back,
 * bytes between fragments that are no box are dropped, and a cut box is filled up. Buffers only the index and `moof`
 * boxes.
 */
export async function* mp4Bytes(bytes: ByteReader, walk = new Mp4Walk()): AsyncGenerator<Uint8Array> {
  const repair = new Mp4Repair();
  const peekAt: PeekAt = async (at, length) => (await bytes.peek(at + length)).subarray(at, at + length);
  for (;;) {
    const box = await boxAt(peekAt);
    if (await walk.hasEnded(peekAt, box)) return;
    if (repair.isTooMuch || (box === null && (await bytes.peek(1)).length === 0)) return;
    if (box === null || !(await walk.owns(peekAt, box))) {
      walk.isDoubtful = true;
      if (walk.times === null) return yield* lastBytes(bytes, walk, repair);
      await repair.skip(bytes);
      continue;
    }
    const isRead = READ.has(box.type) && box.size <= FRAGMENT_MAX;
    const isWhole = async (): Promise<boolean> => walk.owns(peekAt, await boxAt(peekAt, box.size), box.size);
    if (isRead && box.type !== 'moov' && walk.times !== null && !(await isWhole())) {
      // The box lost bytes, so ffmpeg would misread it: drop it.
      walk.isDoubtful = true;
      await repair.skip(bytes, box.headBytes);
      continue;
    }
    walk.needsRepair ||= repair.hasDamage;
    yield* repair.rest();
    walk.pass(box);
    const whole = isRead ? (await peekAt(0, box.size)).slice() : null;
    if (whole?.length !== box.size) {
      const isSound = box.type === 'mdat' && walk.index !== null && walk.times === null;
      const isSearched = walk.times !== null && box.size !== Infinity;
      const given = yield* isSound ? untilNextMark(bytes, box.size) : repair.copy(bytes, box.size, isSearched);
      walk.isDoubtful ||= given < box.size;
      continue;
    }
    const content = whole.subarray(box.headBytes);
    if (box.type === 'moov') walk.enter(content);
    else if (box.type === 'moof') {
      if (walk.times?.place(content) === true) walk.needsRepair = true;
      if (repair.hasDamage) moveSound(content, repair.given + (await soundBehind(peekAt, box.size)));
    }
    // Hide a `sidx`: its times would override those of the fragments.
    else whole.set(Buffer.from('free'), 4);
    await bytes.skip(box.size);
    yield repair.whole(whole);
  }
}

/** Yields the bytes behind the last box of an MP4 without fragments, up to the next recording. */
async function* lastBytes(bytes: ByteReader, walk: Mp4Walk, repair: Mp4Repair): AsyncGenerator<Uint8Array> {
  if (walk.hasAllSound) walk.next = yield* untilNextRecording(bytes, true);
  else yield* repair.copy(bytes, Infinity, false);
}

/** Skips tags behind the MP4s. @returns the format of the recording that follows; null if it is unknown */
export async function behindMp4(bytes: ByteReader): Promise<AudioFormat | null> {
  for (;;) {
    const head = (await bytes.peek(SNIFF_BYTES)).subarray(0, SNIFF_BYTES);
    const tag = id3Bytes(head);
    if (tag === 0) return sniffFormatOrVideo(head);
    await bytes.skip(tag);
  }
}
