/** Identifies the recordings in a file before they are decoded. */
import { open, type FileHandle } from 'node:fs/promises';
import { SNIFF_BYTES, formatName, sniffFormatOrVideo, id3Bytes, type AudioFormat } from './audio-format.ts';
import { declaredLength } from './declared-length.ts';
import { readMp4, type Mp4Part } from './mp4-parts.ts';
import { MAY_HOLD_BARE_FRAMES, TAIL_BYTES, hiddenAt } from './ends.ts';
import { EngineError } from '../port.ts';

const READ_BYTES = 1 << 16;
/** The largest number of tags in a row; some programs leave several. */
export const TAGS_MAX = 8;

/** One of the recordings joined in a file. */
export interface Recording {
  format: AudioFormat;
  /** Offset of the audio in the file, after its tags. */
  start: number;
  /** Offset at which the next recording begins; undefined if this one fills the file. */
  end?: number | undefined;
  /** How many audio tracks it has; null if unknown. */
  trackCount: number | null;
  /** Whether it is an MP4 that needs repair: it is damaged, or its times go back. */
  needsRepair?: boolean;
  /** Whether it follows another recording. */
  isLater?: boolean;
  /** The error if ffmpeg does not know the format either. */
  refusal: EngineError | null;
}

export interface Identified extends Recording {
  /** The format's name, with the codec if that matters. */
  name: string;
  /** Length in seconds that the file declares; null if it declares none. */
  declared: number | null;
  /** Joined recordings that its decoder does not read itself; null for one that cannot be decoded. */
  later: (Recording | null)[];
}

export async function readAt(file: FileHandle, position: number, length = SNIFF_BYTES): Promise<Uint8Array> {
  const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Yields the bytes of a file from `start` to `end`, or to the end of the file. */
export async function* fileBytes(path: string, start: number, end = Infinity): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    for (let position = start; ;) {
      const length = Math.min(READ_BYTES, end - position);
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Identifies the recording at an offset, behind another recording; null if it cannot be decoded. */
export async function identifyLater(file: FileHandle, position: number): Promise<Identified | null> {
  const { size } = await file.stat();
  const recording = await recordingAt(file, position, size);
  if (recording?.format !== 'mp4')
    return recording && { ...recording, name: formatName(recording.format), declared: null, later: [] };
  try {
    return { ...(await identifyMp4(file, recording.start)), isLater: true };
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

/**
 * Identifies the MP4s of a file, and a recording behind them.
 * @throws EngineError if the first MP4 has no sound, or protected sound, or no complete index
 */
export async function identifyMp4(file: FileHandle, start: number): Promise<Identified> {
  const { size } = await file.stat();
  const { first, later, behind } = await readMp4(file, start);
  const last = behind === null ? null : await recordingAt(file, behind, size);
  const end = later.length === 0 ? first : later.at(-1);
  const isHidden =
    behind === null &&
    end?.mayHideRecording === true &&
    (await hidesAtEnd(file, { format: 'mp4', start: end.start }, size));
  const lengths = [first, ...later].map((part) => (part === null ? 0 : part.seconds));
  if (last !== null) lengths.push(await declaredLength(file, last.format, last.start));
  return {
    ...recordingOf(first, size),
    name: `MP4 with ${first.codec} audio`,
    declared: lengths.reduce((sum, seconds) => (sum === null || seconds === null ? null : sum + seconds), 0),
    later: [
      ...later.map((part) => part && { ...recordingOf(part, size), isLater: true }),
      ...(last === null ? [] : [last]),
      ...(isHidden ? [null] : []),
    ],
  };
}

const recordingOf = ({ start, end, tracks, needsRepair }: Mp4Part, size: number): Recording => ({
  format: 'mp4',
  start,
  end: start === 0 && end === size ? undefined : end,
  trackCount: tracks,
  needsRepair,
  refusal: null,
});

/** Identifies the recording from an offset, or the tags there, to the end of the file; null if none begins there. */
async function recordingAt(file: FileHandle, position: number, size: number): Promise<Recording | null> {
  let start = position;
  for (let tags = 0; tags <= TAGS_MAX; tags += 1) {
    const head = await readAt(file, start);
    const tagBytes = id3Bytes(head);
    const format = tagBytes > 0 ? null : sniffFormatOrVideo(head);
    if (format !== null) return { format, start, end: size, trackCount: null, isLater: true, refusal: null };
    if (tagBytes === 0) break;
    start += tagBytes;
  }
  return null;
}

/** How many first bytes of a recording are searched for frames of its own. */
const OWN_BYTES_MIN = 1 << 12;
const OWN_BYTES_MAX = 1 << 16;

/** Whether a recording, from `start` to the offset `end`, has a hidden recording at its end (see `ends.ts`). */
export async function hidesAtEnd(
  file: FileHandle,
  { format, start }: Pick<Recording, 'format' | 'start'>,
  end: number,
): Promise<boolean> {
  const tailAt = Math.max(start, end - TAIL_BYTES);
  // `other` stands for several formats, so it excludes none.
  const hidden = hiddenAt(new Set(format === 'other' ? [] : [format]), await readAt(file, tailAt, end - tailAt));
  if (hidden === null || !MAY_HOLD_BARE_FRAMES.has(format)) return hidden !== null;
  const before = tailAt + hidden.at - start;
  // The hidden frames may begin before the tail; a WAV's own frames may begin late.
  const length = Math.min(OWN_BYTES_MAX, Math.max(OWN_BYTES_MIN, format === 'other' ? before / 2 : before));
  return !hidden.occursIn(await readAt(file, start, Math.floor(length)));
}
