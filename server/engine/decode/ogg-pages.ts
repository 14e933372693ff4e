import { joined, textOf, viewOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { hasFramesAhead, markAhead } from './joins.ts';
import { findBeginning } from './marks.ts';

const HEADER_BYTES = 27;
const CAPTURE = [0x4f, 0x67, 0x67, 0x53];
const CONTINUES = 1;
const BEGINS = 2;
const ENDS = 4;
const NO_POSITION = 0xffff_ffff_ffff_ffffn;
/** Headers with pictures stay below this. */
const PACKET_MAX = 1 << 24;

export interface OggPage {
  /** Of the logical stream; recorders often give all of theirs the same. */
  serial: number;
  number: number;
  /** Whether its first packet began on the page before; whether a logical stream begins or ends with it. */
  continues: boolean;
  begins: boolean;
  ends: boolean;
  /** Position after the last packet that ends on the page; null where none does. */
  position: bigint | null;
  segments: Uint8Array;
  body: Uint8Array;
}

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1;
  return crc >>> 0;
});
const CRC_AT = 22;

/** Whether the checksum of a page, in which it counts as zeros, fits. */
function isWhole(page: Uint8Array): boolean {
  let crc = 0;
  for (let at = 0; at < page.length; at += 1) {
    const byte = at < CRC_AT || at >= CRC_AT + 4 ? (page[at] ?? 0) : 0;
    crc = (crc << 8) ^ (CRC[(crc >>> 24) ^ byte] ?? 0);
  }
  return crc >>> 0 === viewOf(page).getUint32(CRC_AT, true);
}

const isCapture = (data: Uint8Array, at: number): boolean => CAPTURE.every((byte, index) => data[at + index] === byte);
/** Pages with a wrong checksum of which this much was looked at and passed over: more are made to waste time. */
const TORN_MAX = 1 << 26;

/**
 * The whole pages of an Ogg stream, to where another format begins: half a page would be decoded as noise, and what is joined to it would
 * be lost. Where no checksum fits, a page is whole when the next one, or the end, is where it says.
 */
export async function* oggPages(bytes: ByteReader): AsyncGenerator<OggPage> {
  let torn = 0;
  for (let isBehindPage = false; ;) {
    let data = await bytes.peek(HEADER_BYTES);
    if (data.length < HEADER_BYTES) return;
    if (!isCapture(data, 0)) {
      if (isBehindPage && (await hasFramesAhead(bytes))) return;
      isBehindPage = false;
      if ((await markAhead(bytes)) !== null) return;
      data = await bytes.peek(1);
      await bytes.skip(Math.max(1, Math.min(captureIn(data), findBeginning(data).at)));
      continue;
    }
    const bodyAt = HEADER_BYTES + (data[HEADER_BYTES - 1] ?? 0);
    data = await bytes.peek(bodyAt);
    const segments = data.subarray(HEADER_BYTES, bodyAt);
    const length = segments.reduce((sum, size) => sum + size, bodyAt);
    data = await bytes.peek(length);
    isBehindPage = data.length >= length;
    if (isBehindPage && torn < TORN_MAX && !isWhole(data.subarray(0, length))) {
      data = await bytes.peek(length + CAPTURE.length);
      isBehindPage = data.length === length || isCapture(data, length);
      torn += length;
    }
    if (!isBehindPage) await bytes.skip(1);
    else yield pageOf((await bytes.take(length)) ?? data, bodyAt);
  }
}

/** The first place where a page begins, or may begin; the length of the bytes where none does. */
function captureIn(data: Uint8Array): number {
  const at = Buffer.from(data.buffer, data.byteOffset, data.length).indexOf('OggS', 1, 'latin1');
  return at < 0 ? Math.max(0, data.length - CAPTURE.length + 1) : at;
}

function pageOf(page: Uint8Array, bodyAt: number): OggPage {
  const view = viewOf(page);
  const flags = view.getUint8(5);
  const position = view.getBigUint64(6, true);
  return {
    serial: view.getUint32(14, true),
    number: view.getUint32(18, true),
    continues: (flags & CONTINUES) !== 0,
    begins: (flags & BEGINS) !== 0,
    ends: (flags & ENDS) !== 0,
    position: position === NO_POSITION ? null : position,
    segments: page.subarray(HEADER_BYTES, bodyAt),
    body: page.subarray(bodyAt),
  };
}

/** Puts the packets of one logical stream together; what a lost page has torn is left out. */
export class OggPackets {
  #begun: Uint8Array[] | null = null;
  #bytes = 0;
  #number = -1;

  /** The packets that end on a page. */
  of(page: OggPage): Uint8Array[] {
    if (!page.continues || page.number !== this.#number + 1) this.#begun = page.continues ? null : [];
    this.#number = page.number;
    const packets: Uint8Array[] = [];
    let from = 0;
    let to = 0;
    for (const length of page.segments) {
      to += length;
      if (length === 255) continue;
      this.#take(page.body.subarray(from, to));
      if (this.#begun !== null)
        packets.push(this.#begun.length === 1 ? (this.#begun[0] ?? page.body) : joined(this.#begun));
      this.#begun = [];
      this.#bytes = 0;
      from = to;
    }
    if (from < to) this.#take(page.body.subarray(from, to));
    return packets;
  }

  #take(piece: Uint8Array): void {
    this.#bytes += piece.length;
    if (this.#bytes > PACKET_MAX) this.#begun = null;
    this.#begun?.push(piece);
  }
}

/** Samples a second that the positions of a stream count, from its first packet; null for what is no known codec. */
export function oggCodec(
  packet: Uint8Array,
): { name: 'opus' | 'vorbis' | 'flac'; rate: number; channels: number } | null {
  const view = viewOf(packet);
  if (textOf(packet, 0, 8) === 'OpusHead' && packet.length >= 19)
    return { name: 'opus', rate: 48_000, channels: view.getUint8(9) };
  if (textOf(packet, 0, 7) === '\x01vorbis' && packet.length >= 30)
    return { name: 'vorbis', rate: view.getUint32(12, true), channels: view.getUint8(11) };
  // Nine bytes of Ogg, the name of FLAC, the head of its first block: then the description of the stream.
  if (textOf(packet, 0, 5) === '\x7fFLAC' && packet.length >= 51)
    return { name: 'flac', rate: view.getUint32(27) >>> 12, channels: ((view.getUint8(29) >> 1) & 7) + 1 };
  return null;
}
