import { joined, textOf, viewOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { hasFramesAhead, markAhead } from './joins.ts';
import { findMark } from './marks.ts';

const HEADER_BYTES = 27;
const CAPTURE = [0x4f, 0x67, 0x67, 0x53];
const CONTINUES = 1;
const BEGINS = 2;
const ENDS = 4;
const NO_POSITION = 0xffff_ffff_ffff_ffffn;
/** Largest packet: even headers with pictures stay below this. */
const PACKET_MAX = 1 << 24;

export interface OggPage {
  /** Serial number of the logical stream; recorders often give all their streams the same. */
  serial: number;
  number: number;
  /** Whether its first packet began on the last page; whether its logical stream begins or ends here. */
  continues: boolean;
  begins: boolean;
  ends: boolean;
  /** Granule position behind the last packet that ends on this page; null if none does. */
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

/** Whether a page's checksum is right. The checksum field itself counts as zeros. */
function isWhole(page: Uint8Array): boolean {
  let crc = 0;
  for (let at = 0; at < page.length; at += 1) {
    const byte = at < CRC_AT || at >= CRC_AT + 4 ? (page[at] ?? 0) : 0;
    crc = (crc << 8) ^ (CRC[(crc >>> 24) ^ byte] ?? 0);
  }
  return crc >>> 0 === viewOf(page).getUint32(CRC_AT, true);
}

const isCapture = (data: Uint8Array, at: number): boolean => CAPTURE.every((byte, index) => data[at + index] === byte);
/**
 * The largest number of bytes of pages with a wrong checksum. After more, which are an attempt to waste time, checksums
 * are not checked.
 */
const TORN_MAX = 1 << 26;

/**
 * Yields the whole pages of an Ogg stream, up to where another format begins. Skips cut pages: they would decode to
 * noise, and hide what follows. A page with a wrong checksum counts as whole if another page, or the end, follows it.
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
      await bytes.skip(Math.max(1, Math.min(captureIn(data), findMark(data).at)));
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

/** Where, from offset 1 on, a page begins, or may begin with its name cut at the end. */
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

/** Assembles the packets of one logical stream; drops packets of which a page is lost. */
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

/** Codec of a stream by its first packet, with the rate of its granule positions; null if the codec is unknown. */
export function oggCodec(
  packet: Uint8Array,
): { name: 'opus' | 'vorbis' | 'flac'; rate: number; channels: number } | null {
  const view = viewOf(packet);
  if (textOf(packet, 0, 8) === 'OpusHead' && packet.length >= 19)
    return { name: 'opus', rate: 48_000, channels: view.getUint8(9) };
  if (textOf(packet, 0, 7) === '\x01vorbis' && packet.length >= 30)
    return { name: 'vorbis', rate: view.getUint32(12, true), channels: view.getUint8(11) };
  // The STREAMINFO begins at 17: after 9 bytes of Ogg mapping, `fLaC`, and the 4-byte header of the metadata block.
  if (textOf(packet, 0, 5) === '\x7fFLAC' && packet.length >= 51)
    return { name: 'flac', rate: view.getUint32(27) >>> 12, channels: ((view.getUint8(29) >> 1) & 7) + 1 };
  return null;
}
