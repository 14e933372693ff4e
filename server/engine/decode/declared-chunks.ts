import { textOf, viewOf } from './bytes.ts';
import type { Source } from './declared-source.ts';
import { extendedAt } from './aiff.ts';

/** The largest number of bytes before the audio; the decoders have the same limit. */
const HEADER_MAX = 1 << 24;
const CHUNKS_MAX = 1000;
const FORMAT_MAX = 64;
/** A 32-bit size from here on that exceeds the file is a placeholder of a recorder that did not know the size. */
const UNKNOWN_FROM = 0x7fff_0000;

const EXTENSIBLE = 0xfffe;
/** Integer and float PCM, A-law and µ-law. */
const PLAIN = new Set([1, 3, 6, 7]);
/** ADPCM of Microsoft and IMA: the header tells the samples per block. */
const ADPCM = new Set([2, 0x11]);

interface Chunk {
  id: string;
  /** Offset of its content; `size` is the declared one. */
  at: number;
  size: number;
  next: number;
}

type ChunkAt = (head: Uint8Array, position: number) => Chunk;

interface Family {
  /** Bytes before the first chunk, and of each chunk's header. */
  start: number;
  headBytes: number;
  chunkAt: ChunkAt;
}

const padded = (size: number, to: number): number => Math.ceil(size / to) * to;

const riff: Family = {
  start: 12,
  headBytes: 8,
  chunkAt(head, position) {
    const size = viewOf(head).getUint32(4, true);
    return { id: textOf(head, 0, 4), at: position + 8, size, next: position + 8 + padded(size, 2) };
  },
};

const wave64: Family = {
  start: 40,
  headBytes: 24,
  chunkAt(head, position) {
    // The size includes the chunk's header of 24 bytes.
    const size = Math.max(0, Number(viewOf(head).getBigUint64(16, true)) - 24);
    return { id: textOf(head, 0, 4), at: position + 24, size, next: position + 24 + padded(size, 8) };
  },
};

const aiff: Family = {
  start: 12,
  headBytes: 8,
  chunkAt(head, position) {
    const size = viewOf(head).getUint32(4);
    return { id: textOf(head, 0, 4), at: position + 8, size, next: position + 8 + padded(size, 2) };
  },
};

const caf: Family = {
  start: 8,
  headBytes: 12,
  chunkAt(head, position) {
    const size = Number(viewOf(head).getBigInt64(4));
    return { id: textOf(head, 0, 4), at: position + 12, size, next: position + 12 + size };
  },
};

function familyOf(head: Uint8Array): Family | null {
  const name = textOf(head, 0, 4);
  if (name === 'RIFF' || name === 'RF64' || name === 'BW64') return riff;
  if (name === 'riff') return wave64;
  if (name === 'FORM') return aiff;
  return name === 'caff' ? caf : null;
}

/** Length of WAV, RF64, Wave64, AIFF and CAF in seconds, from the chunks before the audio; null if unknown. */
export async function chunkedLength(source: Source, start: number): Promise<number | null> {
  const family = familyOf(await source.read(start, 4));
  if (family === null) return null;
  const known = new Map<string, Uint8Array>();
  let position = start + family.start;
  for (let count = 0; count < CHUNKS_MAX && position < start + HEADER_MAX; count += 1) {
    const head = await source.read(position, family.headBytes);
    if (head.length < family.headBytes) return null;
    const chunk = family.chunkAt(head, position);
    if (chunk.id === 'data' || chunk.id === 'SSND') return lengthOf(known, chunk, source.size);
    if (chunk.size < 0 || chunk.next <= position) return null;
    known.set(chunk.id, await source.read(chunk.at, Math.min(chunk.size, FORMAT_MAX)));
    position = chunk.next;
  }
  return null;
}

function lengthOf(known: ReadonlyMap<string, Uint8Array>, data: Chunk, fileBytes: number): number | null {
  const wave = known.get('fmt ');
  if (wave !== undefined && wave.length >= 16)
    return bytesOf(data, known.get('ds64'), fileBytes) / bytesPerSecond(viewOf(wave));
  const common = known.get('COMM');
  if (common !== undefined && common.length >= 18) {
    const frames = viewOf(common).getUint32(2);
    return frames >= UNKNOWN_FROM ? null : frames / extendedAt(viewOf(common), 8);
  }
  const description = known.get('desc');
  return description !== undefined && description.length >= 32
    ? cafLength(viewOf(description), data, fileBytes, known.get('pakt'))
    : null;
}

/** Bytes per second: of plain samples from their layout, as the decoder does; of compressed audio as declared. */
function bytesPerSecond(format: DataView): number {
  const declared = format.getUint16(0, true);
  const tag = declared === EXTENSIBLE && format.byteLength >= 26 ? format.getUint16(24, true) : declared;
  const [rate, blockBytes] = [format.getUint32(4, true), format.getUint16(12, true)];
  if (ADPCM.has(tag) && format.byteLength >= 20) return (rate * blockBytes) / format.getUint16(18, true);
  if (!PLAIN.has(tag)) return format.getUint32(8, true);
  const frameBytes = blockBytes || format.getUint16(2, true) * Math.ceil(format.getUint16(14, true) / 8);
  return rate * frameBytes;
}

function cafLength(
  description: DataView,
  data: Chunk,
  fileBytes: number,
  packets: Uint8Array | undefined,
): number | null {
  const rate = description.getFloat64(0);
  // The packet table of compressed audio has the number of frames.
  if (packets !== undefined && packets.length >= 16) return Number(viewOf(packets).getBigInt64(8)) / rate;
  const [packetBytes, packetFrames] = [description.getUint32(16), description.getUint32(20)];
  if (packetBytes === 0 || packetFrames === 0) return null;
  const bytes = data.size < 0 ? fileBytes - data.at : data.size;
  return (((bytes - 4) / packetBytes) * packetFrames) / rate;
}

/** Bytes of audio: as declared, or the rest of the file if the declared size is a placeholder. */
function bytesOf(data: Chunk, sizes: Uint8Array | undefined, fileBytes: number): number {
  const held = Math.max(0, fileBytes - data.at);
  const big =
    sizes !== undefined && sizes.length >= 16 && data.size === 0xffff_ffff ? viewOf(sizes).getBigUint64(8, true) : null;
  if (big !== null) return big === 0n || big >= 0x7fff_ffff_ffff_0000n ? held : Number(big);
  const isUnknown =
    data.size === 0 ||
    (data.size > held && data.size >= UNKNOWN_FROM && data.size <= 0xffff_ffff) ||
    data.size >= 2 ** 62;
  return isUnknown ? held : data.size;
}
