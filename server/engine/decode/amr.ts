import { decoder } from '@audio/decode-amr';
import type { ByteReader } from './bytes.ts';
import type { PcmBlock } from './codec.ts';

/** A frame of 20 ms can be one byte. */
const READ_BYTES = 1 << 12;

/** AMR, narrow and wide band, as phones record it. */
export async function* decodeAmr(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  const amr = await decoder();
  for (let piece = await bytes.upTo(READ_BYTES); piece !== null; piece = await bytes.upTo(READ_BYTES))
    yield amr.decode(piece);
}
