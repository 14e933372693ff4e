import { joined } from './bytes.ts';
import type { ByteReader } from './bytes.ts';

const HEADER_BYTES = 27;
const CAPTURE = [0x4f, 0x67, 0x67, 0x53];

/** Reads up to the next 'OggS', which it has then read; false at the end. */
async function findPage(bytes: ByteReader): Promise<boolean> {
  for (let matched = 0; matched < CAPTURE.length;) {
    const piece = await bytes.take(1);
    if (piece === null) return false;
    const byte = piece[0];
    // Only its first letter can begin the name again.
    matched = byte === CAPTURE[matched] ? matched + 1 : byte === CAPTURE[0] ? 1 : 0;
  }
  return true;
}

/** The whole pages of an Ogg stream: half a page at the end of a file cut short would be decoded as noise. */
export async function* oggPages(bytes: ByteReader): AsyncGenerator<Uint8Array> {
  while (await findPage(bytes)) {
    const head = await bytes.take(HEADER_BYTES - CAPTURE.length);
    const segments = head && (await bytes.take(head.at(-1) ?? 0));
    const body = segments && (await bytes.take(segments.reduce((sum, length) => sum + length, 0)));
    if (!body) return;
    yield joined([Uint8Array.from(CAPTURE), head, segments, body]);
  }
}
