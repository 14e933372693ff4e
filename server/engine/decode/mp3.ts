import { MPEGDecoder } from 'mpg123-decoder';
import type { ByteReader } from './bytes.ts';
import { NOTHING, PARTS_MAX, type PlacedBlock } from './codec.ts';
import { framesAhead, tagAhead, withinPart } from './joins.ts';
import { IN_A_ROW, describesStream, frameAt, nextHeader } from './mpeg-frames.ts';
import { ac3OrTsAhead } from './rows.ts';

/**
 * Some programs put a header of up to this size before each frame. Behind a longer gap, a frame needs others behind it.
 */
const GAP_MAX = 32;
/** The largest number of bytes without frames that are passed on at once. */
const READ_BYTES = 512;

/**
 * MPEG layer I, II and III. Mono comes as two equal channels. A frame that describes the stream begins a part, and
 * resets the decoder, so that it drops the part's delay and padding. {@link IN_A_ROW} frames of another kind begin a
 * part, too.
 */
export const decodeMp3 = (bytes: ByteReader): AsyncIterable<PlacedBlock> => withinPart(bytes, decodeFrames);

async function* decodeFrames(bytes: ByteReader): AsyncGenerator<PlacedBlock> {
  const mpeg = new MPEGDecoder();
  await mpeg.ready;
  let part = -1;
  for await (const { piece, isOtherKind } of framesOf(bytes)) {
    const isDescription = describesStream(piece);
    if (isDescription || isOtherKind || part < 0) part += 1;
    if (part >= PARTS_MAX) return yield { ...NOTHING, part, leftOut: 'part' };
    if (isDescription && part > 0) await mpeg.reset();
    yield { ...mpeg.decode(piece), part };
  }
}

/** Yields one frame at a time, since the rate may change between joined recordings; and other bytes as they come. */
async function* framesOf(bytes: ByteReader): AsyncGenerator<{ piece: Uint8Array; isOtherKind: boolean }> {
  let kind: number | null = null;
  let ofKind = 0;
  /** Bytes since the last frame. */
  let gap = 0;
  for (let isBehindFrame = false; ;) {
    const head = await bytes.peek(4);
    const frame = frameAt(head, 0);
    // Between frames, junk may look like a frame.
    const isDoubtful: boolean = frame?.format === 'mp3' && gap > GAP_MAX && ofKind >= IN_A_ROW;
    const isJunk: boolean = isDoubtful && (await framesAhead(bytes, kind)) === null;
    let length: number = frame?.format === 'mp3' && !isJunk ? frame.bytes : 0;
    if (length === 0 && isBehindFrame) {
      const tag = await tagAhead(bytes);
      if (tag > 0) {
        await bytes.skip(tag);
        continue;
      }
    }
    if (frame?.format !== 'mp3' && head[0] === 0xff && (await framesAhead(bytes))?.format === 'aac') return;
    if (isBehindFrame && length === 0 && (await ac3OrTsAhead(bytes)) !== null) return;
    isBehindFrame = length > 0;
    let isOtherKind = false;
    if (frame?.format !== 'mp3' || isJunk) length = nextHeader((await bytes.peek(READ_BYTES)).subarray(0, READ_BYTES));
    else if (frame.kind === kind) ofKind += 1;
    else {
      const isClear = (await framesAhead(bytes)) !== null;
      // One or two frames before a change of kind were no frames.
      isOtherKind = isClear && ofKind >= IN_A_ROW;
      if (isClear || kind === null) {
        ({ kind } = frame);
        ofKind = 1;
      }
    }
    const data = await bytes.peek(length);
    const piece = await bytes.upTo(Math.min(length, data.length));
    if (piece === null) return;
    gap = isBehindFrame ? 0 : gap + piece.length;
    if (isBehindFrame || ofKind < IN_A_ROW) yield { piece, isOtherKind };
  }
}
