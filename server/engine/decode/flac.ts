import { FLACDecoder } from '@wasm-audio-decoders/flac';
import type { ByteReader } from './bytes.ts';
import type { PcmBlock } from './codec.ts';
import { flacFrames, skipMetadata } from './flac-frames.ts';
import { withinPart } from './joins.ts';

/** Bare FLAC, one frame at a time: a few bytes of silence can give 65535 samples of each channel. */
export async function* decodeFlac(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  if (!(await skipMetadata(bytes))) return;
  const flac = new FLACDecoder();
  await flac.ready;
  yield* withinPart(bytes, async function* decodeFrames(inside) {
    for await (const frame of flacFrames(inside)) yield await flac.decodeFrames([frame]);
  });
  flac.free();
}
