import type { FileHandle } from 'node:fs/promises';
import type { AudioFormat } from './audio-format.ts';
import { chunkedLength } from './declared-chunks.ts';
import { matroskaLength, oggLength } from './declared-containers.ts';
import { flacLength, mp3Length } from './declared-frames.ts';
import type { Source } from './declared-source.ts';

type Reader = (source: Source, start: number) => Promise<number | null>;

/** Formats that declare a length. An MP4's is in its index: see `mp4-parts.ts`. */
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
 * The length in seconds that a recording declares, from a few reads and without decoding; null if it declares none. It
 * may be wrong in both directions: use it to refuse a recording early or to show its length, never to stop decoding.
 * @param start offset of the audio, after its tags
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
