/** What every decoder speaks: the blocks that it gives, and its refusals. Which decoder a format has is in `decoders.ts`. */
import { looksLike } from './audio-format.ts';
import type { ByteReader } from './bytes.ts';
import { EngineError } from '../port.ts';

/** Planar audio; no samples when a piece of the file held none. */
export interface PcmBlock {
  channelData: Float32Array[];
  /** Hz. */
  sampleRate: number;
}

/** Decodes a byte stream as it comes. @throws EngineError, and whatever a library throws on damage */
export type Decode = (bytes: ByteReader) => AsyncIterable<PcmBlock>;

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

/** The error for bytes of no known format; `what` they came as. */
export function unknownAudio(what: 'file' | 'stream', head: Uint8Array): EngineError {
  const seen = looksLike(head);
  return new EngineError(
    'invalid_audio',
    seen === null ? `The ${what} is of no known audio format.` : `The ${what} is not audio: it looks like ${seen}.`,
  );
}
