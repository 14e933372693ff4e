/** What every decoder speaks: the blocks that it gives, and its refusals. Which decoder a format has is in `decoders.ts`. */
import { SNIFF_BYTES, TEXT, looksLike, mayBecomeTransportStream, videoOf } from './audio-format.ts';
import type { ByteReader } from './bytes.ts';
import { laterPartOf } from './later-part.ts';
import { findFrames } from './mpeg-frames.ts';
import { EngineError, type EngineErrorCode } from '../port.ts';

/** Planar audio; no samples when a piece of the file held none. */
export interface PcmBlock {
  channelData: Float32Array[];
  /** Hz. */
  sampleRate: number;
}

export const NOTHING: PcmBlock = { channelData: [], sampleRate: 0 };

/** A block with its place in the recording. Without a time it follows the one before it; without samples it announces its track. */
export interface PlacedBlock extends PcmBlock {
  /** Seconds from the beginning of its part, by the container's time stamps; a little below 0 for a codec's delay. */
  at?: number;
  /** Which of several tracks that sound at the same time. */
  track?: number;
  /** Counts the recordings that were joined to this one: each begins where the one before has ended. */
  part?: number;
  /** Says, without samples, that a track or the rest of a part is there and is not heard. */
  leftOut?: 'track' | 'part';
}

/** What begins later than this, in seconds, was cut out of a longer recording, and counts from there. */
export const BEGINNING_SECONDS = 30;
/** More voices at once than anybody records; each has a decoder of its own. */
export const TRACKS_MAX = 16;
/** Recordings joined to one: each has a decoder of its own, so with more of them somebody wastes time. */
export const PARTS_MAX = 5000;
/** Processes for one recording and those joined to it; each takes longer to start than to decode a sentence. */
export const FFMPEG_MAX = 200;

/** What keeps a later part from being heard, and takes nothing from the others. */
export const OF_A_PART: ReadonlySet<EngineErrorCode> = new Set(['invalid_audio', 'unsupported_format']);

/** Decodes a byte stream as it comes, to its end or to where it sees another recording begin. @throws EngineError, and whatever a library throws on damage */
export type Decode = (bytes: ByteReader) => AsyncIterable<PlacedBlock>;

/** Decodes AAC through an ffmpeg of its own, to Matroska. @throws EngineError where that fails, also behind sound */
export type ThroughFfmpeg = (aac: AsyncGenerator<Uint8Array>) => AsyncGenerator<Uint8Array>;

/** The answer to a format without a decoder of ours; `what` begins the sentence. */
export function needsFfmpeg(what: string): EngineError {
  return new EngineError(
    'unsupported_format',
    `${what} needs ffmpeg: install it on the server or set FFMPEG_PATH, or send WAV, MP3, FLAC, Ogg, WebM, AIFF or AMR.`,
  );
}

export const headerCutShort = (name: string): EngineError =>
  new EngineError('invalid_audio', `The ${name} audio ends inside its header.`);
export const headerNonsense = (name: string, why: string): EngineError =>
  new EngineError('invalid_audio', `The header of the ${name} audio makes no sense: ${why}.`);

/** What bytes of no known format are instead of a recording; null where they are like nothing known. `what` they came as; `head` as much of it as is searched for frames. */
export function notARecording(what: 'file' | 'stream', head: Uint8Array): EngineError | null {
  const format = laterPartOf(head);
  if (format !== null)
    return new EngineError(
      'invalid_audio',
      `The beginning of the recording is missing: the ${what} starts with a later part of it (${format}).`,
    );
  const start = head.subarray(0, SNIFF_BYTES);
  const video = what === 'stream' ? videoOf(start) : null;
  if (video !== null)
    return new EngineError(
      'invalid_audio',
      `The stream is ${video}. Its sound can be transcribed from a file, not live.`,
    );
  const seen = looksLike(start);
  return seen === null ? null : new EngineError('invalid_audio', `The ${what} is not audio: it looks like ${seen}.`);
}

/** The error for bytes of no known format; `what` they came as. */
export const unknownAudio = (what: 'file' | 'stream', head: Uint8Array): EngineError =>
  notARecording(what, head) ?? new EngineError('invalid_audio', `The ${what} is of no known audio format.`);

/** Frames in bytes of no known beginning; what looks like something else is not searched. Padding of MP3 looks like text. */
export function searchFrames(bytes: Uint8Array): ReturnType<typeof findFrames> {
  const seen = looksLike(bytes.subarray(0, SNIFF_BYTES));
  if (mayBecomeTransportStream(bytes)) return null;
  return seen === null || seen === TEXT ? findFrames(bytes) : null;
}
