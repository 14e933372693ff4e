import { decoder } from '@audio/decode-amr';
import { textOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { headerCutShort, type PcmBlock } from './codec.ts';
import { hasFramesAhead, withinPart } from './joins.ts';

/** Bytes of a frame with its header, by its type; 0 for types that are not defined (RFC 4867, 5.3). */
const NARROW = [13, 14, 16, 18, 20, 21, 27, 32, 6, 0, 0, 0, 0, 0, 0, 1];
const WIDE = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 0, 0, 0, 0, 1, 1];
/** Bits of a header that are the same in all frames of an encoder: 0, as a rule. */
const PADDING = 0x83;
/** Frames in a row that nothing else has. */
const IN_A_ROW = 8;

/** AMR, narrow and wide band, as phones record it. */
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

/** The frames that are at hand together, to where frames of another format follow; what is no frame is left out. */
async function* framesOf(bytes: ByteReader, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const [head = 0] = await bytes.peek(1);
  const padding = head & PADDING;
  /** 0 where no frame begins; zeros are none, though they look like one that was damaged on its way. */
  const sizeAt = (data: Uint8Array, at: number): number => {
    const header = data[at] ?? PADDING;
    const size = (header & PADDING) === padding ? (sizes[(header >> 3) & 15] ?? 0) : 0;
    return header === 0 && data.subarray(at, at + size).every((byte) => byte === 0) ? 0 : size;
  };
  const areFrames = (data: Uint8Array, from: number): boolean => {
    let at = from;
    for (let count = 0; count < IN_A_ROW && at < data.length; count += 1) {
      const size = sizeAt(data, at);
      if (size === 0) return false;
      at += size;
    }
    return true;
  };
  for (;;) {
    let data = await bytes.peek(1);
    if (data.length === 0) return;
    let end = 0;
    for (let size = sizeAt(data, 0); size > 0; size = sizeAt(data, end)) {
      if (end + size > data.length && end > 0) break;
      data = await bytes.peek(size);
      end = Math.min(end + size, data.length);
    }
    const frames = end > 0 ? await bytes.take(end) : null;
    if (frames !== null) {
      yield frames;
      continue;
    }
    if (await hasFramesAhead(bytes)) return;
    do {
      await bytes.skip(1);
      data = await bytes.peek(IN_A_ROW * Math.max(...sizes));
      let at = 0;
      while (at + IN_A_ROW * Math.max(...sizes) < data.length && !areFrames(data, at)) at += 1;
      await bytes.skip(at);
      data = data.subarray(at);
    } while (data.length > 0 && !areFrames(data, 0));
  }
}
