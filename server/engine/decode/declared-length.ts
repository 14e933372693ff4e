import type { FileHandle } from 'node:fs/promises';
import type { AudioFormat } from './audio-format.ts';
import { chunkedLength } from './declared-chunks.ts';
import { matroskaLength, oggLength } from './declared-containers.ts';
import { flacLength, mp3Length } from './declared-frames.ts';
import type { Source } from './declared-source.ts';

type Reader = (source: Source, start: number) => Promise<number | null>;

/** AMR has no length in its head; AAC in ADTS, raw MPEG frames and what ffmpeg alone reads neither. That of an MP4 is in its index: `mp4-parts.ts`. */
const READERS: Partial<Record<AudioFormat, Reader>> = {
  wav: chunkedLength,
  rf64: chunkedLength,
  w64: chunkedLength,
  aiff: chunkedLength,
  caf: chunkedLength,
  flac: flacLength,
  mp3: mp3Length,
  matroska: matroskaLength,
  'ogg-vorbis': oggLength,
  'ogg-opus': oggLength,
  'ogg-flac': oggLength,
};

/**
 * The length that a recording says it has, in seconds, told from a few reads of its head (of Ogg, its tail too) without decoding; null where
 * it does not say. It may lie, in both directions: good to refuse what says itself that it is too long, and to show, never to allow more.
 * @param start where the audio begins, after its tags
 */
export async function declaredLength(file: FileHandle, format: AudioFormat, start: number): Promise<number | null> {
  const reader = READERS[format];
  if (reader === undefined) return null;
  const { size } = await file.stat();
  const source: Source = {
    file,
    size,
    async read(position, length) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position);
      return buffer.subarray(0, bytesRead);
    },
  };
  const seconds = await reader(source, start);
  return seconds !== null && Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}
