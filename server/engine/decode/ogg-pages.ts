import { joined, textOf, viewOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';

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
export async function* oggPages(bytes: ByteReader): AsyncGenerator<OggPage> {
  while (await findPage(bytes)) {
    const head = await bytes.take(HEADER_BYTES - CAPTURE.length);
    const segments = head && (await bytes.take(head.at(-1) ?? 0));
    const body = segments && (await bytes.take(segments.reduce((sum, length) => sum + length, 0)));
    if (!body) return;
    const view = viewOf(head);
    const flags = view.getUint8(1);
    const position = view.getBigUint64(2, true);
    yield {
      serial: view.getUint32(10, true),
      number: view.getUint32(14, true),
      continues: (flags & CONTINUES) !== 0,
      begins: (flags & BEGINS) !== 0,
      ends: (flags & ENDS) !== 0,
      position: position === NO_POSITION ? null : position,
      segments,
      body,
    };
  }
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
