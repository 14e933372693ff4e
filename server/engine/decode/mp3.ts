import { MPEGDecoder } from 'mpg123-decoder';
import { ID3V1_BYTES, id3Bytes } from './audio-format.ts';
import { textOf, type ByteReader } from './bytes.ts';
import { NOTHING, PARTS_MAX, type PlacedBlock } from './codec.ts';
import { framesAhead, withinPart } from './joins.ts';
import { describesStream, frameAt } from './mpeg-frames.ts';

/** Bytes without frames that are passed on at once. */
const READ_BYTES = 512;

/**
 * MPEG layer I, II and III. Mono comes as two equal channels. A frame that describes a stream begins a part, whose delay and padding the
 * decoder leaves out as it does with the first.
 */
export const decodeMp3 = (bytes: ByteReader): AsyncIterable<PlacedBlock> => withinPart(bytes, decodeFrames);

async function* decodeFrames(bytes: ByteReader): AsyncGenerator<PlacedBlock> {
  const mpeg = new MPEGDecoder();
  await mpeg.ready;
  let part = -1;
  for await (const piece of framesOf(bytes)) {
    const begins = describesStream(piece);
    if (begins || part < 0) part += 1;
    if (part >= PARTS_MAX) return yield { ...NOTHING, part, leftOut: 'part' };
    if (begins && part > 0) await mpeg.reset();
    yield { ...mpeg.decode(piece), part };
  }
}

/** Frame by frame, and what is none as it comes: each has one rate, which changes where recordings were joined. */
async function* framesOf(bytes: ByteReader): AsyncGenerator<Uint8Array> {
  for (let isBehindFrame = false; ;) {
    const head = await bytes.peek(4);
    const frame = frameAt(head, 0);
    let length = frame?.format === 'mp3' ? frame.bytes : 0;
    if (length === 0 && isBehindFrame) {
      const tag = await tagAhead(bytes);
      if (tag > 0) {
        await bytes.skip(tag);
        continue;
      }
      if ((await framesAhead(bytes)) === 'aac') return;
    }
    isBehindFrame = length > 0;
    if (length === 0) {
      const data = (await bytes.peek(READ_BYTES)).subarray(0, READ_BYTES);
      let next = data.indexOf(0xff, 1);
      while (next > 0 && next + 4 <= data.length && frameAt(data, next) === null) next = data.indexOf(0xff, next + 1);
      length = next > 0 ? next : READ_BYTES;
    }
    const data = await bytes.peek(length);
    const piece = await bytes.upTo(Math.min(length, data.length));
    if (piece === null) return;
    yield piece;
  }
}

/** Bytes of a tag that stands between frames; 0 where none does. */
async function tagAhead(bytes: ByteReader): Promise<number> {
  const head = await bytes.peek(10);
  return textOf(head, 0, 3) === 'TAG' ? ID3V1_BYTES : id3Bytes(head);
}
