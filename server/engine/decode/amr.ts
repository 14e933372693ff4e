import { decoder } from '@audio/decode-amr';
import { textOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { headerCutShort, type PcmBlock } from './codec.ts';
import { hasFramesAhead, withinPart } from './joins.ts';

/** Length of a frame in bytes, header included, by its type. */
const NARROW = [13, 14, 16, 18, 20, 21, 27, 32, 6, 6, 6, 6, 1, 1, 1, 1];
const WIDE = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1];
/** Header bits that are always 0. */
const PADDING = 0x83;

/** AMR, narrowband and wideband, as phones record it. */
export async function* decodeAmr(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  const amr = await decoder();
  const isNarrow = textOf(await bytes.peek(6), 0, 6) === '#!AMR\n';
  const magic = await bytes.take(isNarrow ? 6 : 9);
  if (magic === null) throw headerCutShort('AMR');
  amr.decode(magic);
  yield* withinPart(bytes, async function* decodeFrames(inside) {
    for await (const frames of framesOf(inside, isNarrow ? NARROW : WIDE)) yield amr.decode(frames);
  });
}

/** Yields the bytes as they come, until frames of another format or an ID3 tag follow. */
async function* framesOf(bytes: ByteReader, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (;;) {
    const data = await bytes.peek(1);
    const isFrame = (at: number): boolean => at < data.length && ((data[at] ?? 0) & PADDING) === 0;
    const sizeAt = (at: number): number => sizes[((data[at] ?? 0) >> 3) & 15] ?? 1;
    if (data.length === 0 || (!isFrame(0) && (await hasFramesAhead(bytes)))) return;
    let left = sizeAt(0);
    while (isFrame(left)) left += sizeAt(left);
    for (let piece = await bytes.upTo(left); piece !== null && piece.length > 0; piece = await bytes.upTo(left)) {
      left -= piece.length;
      yield piece;
    }
  }
}
