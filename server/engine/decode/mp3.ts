import { MPEGDecoder } from 'mpg123-decoder';
import type { ByteReader } from './bytes.ts';
import type { PcmBlock } from './codec.ts';

/** Short: what comes of one piece has one rate, which changes where recordings were joined. */
const READ_BYTES = 512;

/** MPEG layer I, II and III. Mono comes as two equal channels. */
export async function* decodeMp3(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  const mpeg = new MPEGDecoder();
  await mpeg.ready;
  for (let piece = await bytes.upTo(READ_BYTES); piece !== null; piece = await bytes.upTo(READ_BYTES))
    yield mpeg.decode(piece);
}
