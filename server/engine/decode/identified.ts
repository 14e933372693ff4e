/** What a file was found to be before it is decoded. */
import type { FileHandle } from 'node:fs/promises';
import { SNIFF_BYTES, formatName, beginningOf, id3Bytes, type AudioFormat } from './audio-format.ts';
import { declaredLength } from './declared-length.ts';
import { readMp4, type Mp4Part } from './mp4-parts.ts';
import { BARE, TAIL_BYTES, hiddenAt } from './ends.ts';
import { EngineError } from '../port.ts';

/** Tags one after the other, as some programs leave them. */
export const TAGS_MAX = 8;

/** One of the recordings joined in a file. */
export interface Recording {
  format: AudioFormat;
  /** Where the audio begins, after its tags. */
  start: number;
  /** Where another one begins; undefined where it is all of the file. */
  end?: number | undefined;
  /** How many audio tracks it has; null where that is not known. */
  sounds: number | null;
  /** Whether it is an MP4 that is damaged, or whose time goes back. */
  isMended?: boolean;
  /** Whether another one is before it. */
  isLater?: boolean;
  /** The answer where ffmpeg does not know the format either. */
  refusal: EngineError | null;
}

export interface Identified extends Recording {
  /** Name of the format, with the codec where it matters. */
  name: string;
  /** Seconds that the file says it has; null where it does not. */
  declared: number | null;
  /** The recordings behind it that its decoder does not read; null for one that cannot be heard. */
  later: (Recording | null)[];
}

export async function readAt(file: FileHandle, position: number, length = SNIFF_BYTES): Promise<Uint8Array> {
  const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** What begins at a place of a file, behind another recording; null where it cannot be heard. */
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

/** The MP4s of a file, and what is behind them. @throws EngineError when the first has no sound, or protected sound, or no whole index */
export async function identifyMp4(file: FileHandle, start: number): Promise<Identified> {
  const { size } = await file.stat();
  const { first, later, behind } = await readMp4(file, start);
  const last = behind === null ? null : await recordingAt(file, behind, size);
  const end = later.length === 0 ? first : later.at(-1);
  const isHidden =
    behind === null && end?.mayHide === true && (await hidesAtEnd(file, { format: 'mp4', start: end.start }, size));
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

const recordingOf = ({ start, end, tracks, isMended }: Mp4Part, size: number): Recording => ({
  format: 'mp4',
  start,
  end: start === 0 && end === size ? undefined : end,
  sounds: tracks,
  isMended,
  refusal: null,
});

/** The recording that begins here, perhaps behind tags, and goes to the end; null where none does. */
async function recordingAt(file: FileHandle, position: number, size: number): Promise<Recording | null> {
  let start = position;
  for (let tags = 0; tags <= TAGS_MAX; tags += 1) {
    const head = await readAt(file, start);
    const tagBytes = id3Bytes(head);
    const format = tagBytes > 0 ? null : beginningOf(head);
    if (format !== null) return { format, start, end: size, sounds: null, isLater: true, refusal: null };
    if (tagBytes === 0) break;
    start += tagBytes;
  }
  return null;
}

/** Of the beginning of a recording whose sound may be such frames. */
const OWN_BYTES_MIN = 1 << 12;
const OWN_BYTES_MAX = 1 << 16;

/** Whether the bytes from a place of a file to an end are, at last, the frames without a mark of another recording. */
export async function hidesAtEnd(
  file: FileHandle,
  { format, start }: Pick<Recording, 'format' | 'start'>,
  end: number,
): Promise<boolean> {
  const tailAt = Math.max(start, end - TAIL_BYTES);
  // Not all videos are of one format.
  const hidden = hiddenAt(new Set(format === 'other' ? [] : [format]), await readAt(file, tailAt, end - tailAt));
  if (hidden === null || !BARE.has(format)) return hidden !== null;
  const before = tailAt + hidden.at - start;
  // The frames of another one may begin before the tail; those of a WAV may begin late.
  const length = Math.min(OWN_BYTES_MAX, Math.max(OWN_BYTES_MIN, format === 'other' ? before / 2 : before));
  return !hidden.isIn(await readAt(file, start, Math.floor(length)));
}
