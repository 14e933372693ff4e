/** The types, limits and errors that all decoders share. `decoders.ts` maps formats to decoders. */
import { SNIFF_BYTES, TEXT, looksLike, mayBecomeTransportStream, videoOf } from './audio-format.ts';
import type { ByteReader } from './bytes.ts';
import { laterPartOf } from './later-part.ts';
import { findFrames } from './mpeg-frames.ts';
import { EngineError, type EngineErrorCode } from '../port.ts';

/** Planar audio; without channels if the bytes gave no sound. */
export interface PcmBlock {
  channelData: Float32Array[];
  /** Hz. */
  sampleRate: number;
}

export const NOTHING: PcmBlock = { channelData: [], sampleRate: 0 };

/**
 * A block with its place in the recording. Without `at` it follows the last block; without samples it announces a
 * track.
 */
export interface PlacedBlock extends PcmBlock {
  /** Seconds from the start of its part, by the container's time stamps; slightly negative within a codec's delay. */
  at?: number;
  /** Which of the simultaneous tracks. */
  track?: number;
  /** Which of the joined recordings, from 0; each begins where the last one ends. */
  part?: number;
  /** A block without samples may say that a track, or the rest of a part, is not decoded. */
  leftOut?: 'track' | 'part';
}

/**
 * A recording whose first time stamp, in seconds, is later than this was cut from a longer one: its time starts there.
 */
export const BEGINNING_SECONDS = 30;
/** The largest number of simultaneous tracks, each with its own decoder: more voices than anybody records. */
export const TRACKS_MAX = 16;
/** The largest number of joined recordings, each with its own decoder. More are an attempt to waste time. */
export const PARTS_MAX = 5000;
/**
 * The largest number of ffmpeg processes for one recording and those joined to it. Starting one takes longer than
 * decoding a sentence.
 */
export const FFMPEG_MAX = 200;

/** Errors that spoil one later part only; the other parts are still decoded. */
export const PART_ERRORS: ReadonlySet<EngineErrorCode> = new Set(['invalid_audio', 'unsupported_format']);

/**
 * Decodes a byte stream as it comes, up to its end or the beginning of another recording.
 * @throws EngineError, and any error that a library throws on damage
 */
export type Decode = (bytes: ByteReader) => AsyncIterable<PlacedBlock>;

/** Decodes ADTS AAC through an ffmpeg of its own; yields Matroska. @throws EngineError, even after some output */
export type ThroughFfmpeg = (aac: AsyncGenerator<Uint8Array>) => AsyncGenerator<Uint8Array>;

/** The refusal of a format without a built-in decoder; `what` begins the sentence. */
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

/**
 * The error for bytes that are recognizably not a whole recording; null if they are like nothing known.
 * @param head as many bytes as a search for frames reads
 */
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

/** The error for bytes of no known format. */
export const unknownAudio = (what: 'file' | 'stream', head: Uint8Array): EngineError =>
  notARecording(what, head) ?? new EngineError('invalid_audio', `The ${what} is of no known audio format.`);

/**
 * Finds frames in bytes of unknown format. Does not search bytes that look like something else, except text: MP3
 * padding looks like it.
 */
export function searchFrames(bytes: Uint8Array): ReturnType<typeof findFrames> {
  const seen = looksLike(bytes.subarray(0, SNIFF_BYTES));
  if (mayBecomeTransportStream(bytes)) return null;
  return seen === null || seen === TEXT ? findFrames(bytes) : null;
}
