import { decoder } from '@audio/decode-amr';
import { textOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { headerCutShort, type PcmBlock } from './codec.ts';
import { withinPart } from './joins.ts';

/** A frame of 20 ms can be one byte. */
const READ_BYTES = 1 << 12;

/** AMR, narrow and wide band, as phones record it. */
export async function* decodeAmr(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  const amr = await decoder();
  const isNarrow = textOf(await bytes.peek(6), 0, 6) === '#!AMR\n';
  const magic = await bytes.take(isNarrow ? 6 : 9);
  if (magic === null) throw headerCutShort('AMR');
  amr.decode(magic);
  yield* withinPart(bytes, async function* decodeFrames(inside) {
    for (let piece = await inside.upTo(READ_BYTES); piece !== null; piece = await inside.upTo(READ_BYTES))
      yield amr.decode(piece);
  });
}
