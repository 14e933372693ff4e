import type { BuiltInFormat } from './audio-format.ts';
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

/** Loads the decoder of a format; only this one's code is loaded. */
export async function loadDecoder(format: BuiltInFormat): Promise<Decode> {
  switch (format) {
    case 'wav':
    case 'rf64': return (await import('./wav.ts')).decodeWav;
    case 'w64': return (await import('./wav.ts')).decodeWave64;
    case 'aiff': return (await import('./aiff.ts')).decodeAiff;
    case 'caf': return (await import('./caf.ts')).decodeCaf;
    case 'amr': return (await import('./amr.ts')).decodeAmr;
    case 'mp3': return (await import('./mp3.ts')).decodeMp3;
    case 'flac': return (await import('./flac.ts')).decodeFlac;
    case 'ogg-flac': return (await import('./ogg.ts')).decodeOggFlac;
    case 'ogg-vorbis': return (await import('./ogg.ts')).decodeVorbis;
    case 'ogg-opus': return (await import('./ogg.ts')).decodeOpus;
    case 'matroska': return (await import('./matroska.ts')).decodeMatroska;
  }
}

/** The answer to a format without a decoder of ours; `what` begins the sentence. */
export function needsFfmpeg(what: string): EngineError {
  return new EngineError('unsupported_format', `${what} needs ffmpeg: install it on the server or set FFMPEG_PATH, or send WAV, MP3, FLAC, Ogg, WebM, AIFF or AMR.`);
}

export const headerCutShort = (name: string): EngineError => new EngineError('invalid_audio', `The ${name} audio ends inside its header.`);
export const headerNonsense = (name: string, why: string): EngineError => new EngineError('invalid_audio', `The header of the ${name} audio makes no sense: ${why}.`);
