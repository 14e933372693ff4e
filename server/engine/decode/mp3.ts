import { MPEGDecoder } from 'mpg123-decoder';
import type { ByteReader } from './bytes.ts';
import type { PcmBlock } from './codec.ts';

const READ_BYTES = 1 << 13;

/** MPEG layer I, II and III. Mono comes as two equal channels. */
export async function* decodeMp3(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  const mpeg = new MPEGDecoder();
  await mpeg.ready;
  for (let piece = await bytes.upTo(READ_BYTES); piece !== null; piece = await bytes.upTo(READ_BYTES))
    yield mpeg.decode(piece);
}
