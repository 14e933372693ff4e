import { id3Bytes } from './audio-format.ts';
import { joined } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { hasFramesAhead } from './joins.ts';
import { frameAt } from './mpeg-frames.ts';
import { mayBeRow } from './rows.ts';

const READ_BYTES = 1 << 13;
const HEADER_BYTES_MAX = 16;
/** A header, a sample of silence and two bytes of checksum. */
const FRAME_BYTES_MIN = 8;
/** 65535 samples of eight channels, uncompressed, take 2 MiB; frames of real encoders stay far below. */
const FRAME_BYTES_MAX = 1 << 21;

function crcTable(bits: 8 | 16, polynomial: number): Uint16Array {
  const top = 1 << (bits - 1);
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit += 1) crc = crc & top ? (crc << 1) ^ polynomial : crc << 1;
    return crc & ((1 << bits) - 1);
  });
}

const CRC8 = crcTable(8, 0x07);
const CRC16 = crcTable(16, 0x8005);

/** The running checksum of a growing frame; reads each byte only once. */
class Checksum {
  #crc = 0;
  #length = 0;

  /** Whether `bytes` are a whole frame. @param bytes the bytes of the last call, and more */
  fits(bytes: Uint8Array): boolean {
    for (; this.#length < bytes.length; this.#length += 1)
      this.#crc = ((this.#crc << 8) & 0xffff) ^ (CRC16[(this.#crc >> 8) ^ (bytes[this.#length] ?? 0)] ?? 0);
    return this.#crc === 0;
  }
}

/** Yields the last frame, up to the last place where its checksum fits; a tag may follow it. */
function* lastOf(end: Uint8Array): Generator<Uint8Array> {
  const checksum = new Checksum();
  let length = 0;
  for (let at = FRAME_BYTES_MIN; at <= end.length; at += 1) if (checksum.fits(end.subarray(0, at))) length = at;
  if (length > 0) yield end.subarray(0, length);
}

/** Number of the frame whose header is at `at`; null if there is no header with a valid checksum. */
function frameNumberAt(bytes: Uint8Array, at: number): number | null {
  const [first = 0, second = 0, third = 0, fourth = 0, lead = 0] = bytes.subarray(at, at + 5);
  if (first !== 0xff || (second & 0xfe) !== 0xf8 || third >> 4 === 0 || (third & 15) === 15 || fourth & 1) return null;
  // The number is coded like a UTF-8 character, in up to seven bytes.
  const numberBytes = lead < 0x80 ? 1 : Math.clz32(~(lead << 24));
  const blockBytes = third >> 4 === 6 ? 1 : third >> 4 === 7 ? 2 : 0;
  const rateBytes = (third & 15) === 12 ? 1 : (third & 15) > 12 ? 2 : 0;
  const length = 4 + numberBytes + blockBytes + rateBytes;
  if (numberBytes > 7 || at + length >= bytes.length) return null;
  let crc = 0;
  for (const byte of bytes.subarray(at, at + length)) crc = CRC8[crc ^ byte] ?? 0;
  if (crc !== bytes[at + length]) return null;
  const rest = bytes.subarray(at + 5, at + 4 + numberBytes);
  return rest.reduce(
    (number, byte) => number * 64 + (byte & 63),
    numberBytes === 1 ? lead : lead & (0x7f >> numberBytes),
  );
}

/** Skips the metadata at the start of bare FLAC; false if the stream ends in it. */
export async function skipMetadata(bytes: ByteReader): Promise<boolean> {
  if (!(await bytes.skip(4))) return false;
  for (;;) {
    const head = await bytes.take(4);
    if (head === null) return false;
    const [flags = 0, high = 0, middle = 0, low = 0] = head;
    if (!(await bytes.skip((high << 16) | (middle << 8) | low))) return false;
    if (flags >= 0x80) return true;
  }
}

/**
 * Whether another recording's bare frames or tag may begin at `at`. A valid FLAC header looks like AAC, so excludes it.
 */
const mayBeOther = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0xff
    ? frameAt(bytes, at) !== null && frameNumberAt(bytes, at) === null
    : mayBeRow(bytes[at]) || (bytes[at] === 0x49 && id3Bytes(bytes.subarray(at)) > 0);

/**
 * Yields the frames of bare FLAC behind its metadata, up to where bare frames of another format begin. A frame ends
 * where the next header begins. Leaves out damaged frames: they could spoil their neighbours, or the decoder's memory.
 */
export async function* flacFrames(bytes: ByteReader): AsyncGenerator<Uint8Array> {
  let data: Uint8Array = new Uint8Array(0);
  /** Where the current frame begins in `data`; -1 while there is none. */
  let start = -1;
  let checksum = new Checksum();
  /** Start of the frame behind which another format was already searched for; -1 if none. */
  let looked = -1;
  let at = 0;
  for (;;) {
    const piece = await bytes.upTo(READ_BYTES);
    data = piece === null ? data : joined([data, piece]);
    // Do not look for headers where they may still be cut, except at the end of the stream.
    const end = piece === null ? data.length : data.length - HEADER_BYTES_MAX;
    for (; at < end; at += 1) {
      if (start > looked && mayBeOther(data, at) && checksum.fits(data.subarray(start, at))) {
        looked = start;
        bytes.unread(data.subarray(at));
        if (await hasFramesAhead(bytes)) return yield data.subarray(start, at);
        await bytes.skip(data.length - at);
      }
      if (data[at] !== 0xff) continue;
      const number = frameNumberAt(data, at);
      if (number === null) continue;
      if (start >= 0) {
        // Frame numbers grow, or restart at 0 in a joined recording. Any other header is a chance match inside the
        // frame.
        if (number > 0 && number <= (frameNumberAt(data, start) ?? 0)) continue;
        const frame = data.subarray(start, at);
        if (checksum.fits(frame)) yield frame;
      }
      start = at;
      looked = -1;
      checksum = new Checksum();
    }
    if (piece === null) {
      if (start >= 0) yield* lastOf(data.subarray(start));
      return;
    }
    // A frame cannot be this long, so its header was none.
    if (data.length - start > FRAME_BYTES_MAX) start = -1;
    const kept = start < 0 ? Math.max(0, at) : start;
    data = data.slice(kept);
    at -= kept;
    looked = looked >= 0 && looked === start ? 0 : -1;
    start = Math.min(start, 0);
  }
}
