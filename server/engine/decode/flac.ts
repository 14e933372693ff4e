import { FLACDecoder } from '@wasm-audio-decoders/flac';
import type { ByteReader } from './bytes.ts';
import type { PcmBlock } from './codec.ts';
import { flacFrames } from './flac-frames.ts';

/** Bare FLAC, frame by frame: a frame of silence takes a few bytes and gives up to 65535 samples of each channel. */
export async function* decodeFlac(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  const flac = new FLACDecoder();
  await flac.ready;
  for await (const frame of flacFrames(bytes)) yield await flac.decodeFrames([frame]);
}
