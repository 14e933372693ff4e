import type { ByteReader } from './bytes.ts';
import { joined } from './bytes.ts';
import type { PcmBlock } from './codec.ts';
import { headerCutShort, needsFfmpeg } from './codec.ts';
import { nextElement, readSize, variableAt } from './ebml.ts';
import type { Element } from './ebml.ts';
import { audioTrack } from './matroska-track.ts';
import type { Track } from './matroska-track.ts';
import { openPackets } from './packets.ts';
import { EngineError } from '../port.ts';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const CLUSTER = 0x1f43b675;
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;

/** What holds others is entered, so that an unknown or a wrong size of it does no harm. */
const ENTERED = new Set([SEGMENT, CLUSTER, BLOCK_GROUP]);
/** EBML head of an appended recording, seek head, info, tracks, cues, chapters, tags, attachments, void, checksum. */
const TOP_LEVEL = new Set([
  EBML,
  0x114d9b74,
  0x1549a966,
  TRACKS,
  0x1c53bb6b,
  0x1043a770,
  0x1254c367,
  0x1941a469,
  0xec,
  0xbf,
]);
/** Blocks, and what is written beside them: times, durations, references, additions, padding. */
const IN_CLUSTER = new Set([
  SIMPLE_BLOCK,
  BLOCK,
  0xe7,
  0xa7,
  0xab,
  0x5854,
  0x9b,
  0xfb,
  0xfa,
  0xfd,
  0xa4,
  0x75a1,
  0x75a2,
  0x8e,
  0xaf,
]);
const TRACKS_MAX = 1 << 20;
/** A block holds some seconds at most, uncompressed too. */
const BLOCK_MAX = 1 << 22;
/** A picture of a video track may be larger. */
const CHILD_MAX = 1 << 26;
const NAME = 'WebM or Matroska';

/** WebM and Matroska with Opus, Vorbis, FLAC, MPEG audio or PCM: the first audio track. Sizes may be unknown, as in live recordings. */
export async function* decodeMatroska(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  const track = await readTrack(bytes);
  const packets = await openPackets(track);
  if (packets === null) throw needsFfmpeg(`${NAME} with ${track.codec.replace(/^A_/, '')} audio`);
  for await (const packet of packetsOf(bytes, track)) yield await packets.decode(packet);
  yield await packets.flush();
}

async function readTrack(bytes: ByteReader): Promise<Track> {
  for (;;) {
    const element = await nextElement(bytes);
    if (element === null || element === 'damaged' || element.id === CLUSTER) throw headerCutShort(NAME);
    if (element.id === TRACKS) {
      if (element.size > TRACKS_MAX)
        throw new EngineError('invalid_audio', `The list of tracks in the ${NAME} file makes no sense.`);
      const content = await bytes.take(element.size);
      if (content === null) throw headerCutShort(NAME);
      return audioTrack(content);
    }
    if (!ENTERED.has(element.id) && (element.size === Infinity || !(await bytes.skip(element.size))))
      throw headerCutShort(NAME);
  }
}

async function* packetsOf(bytes: ByteReader, track: Track): AsyncGenerator<Uint8Array> {
  for (;;) {
    const element = await nextElement(bytes);
    if (element === null) return;
    if (element === 'damaged' || !makesSense(element)) {
      if (!(await findCluster(bytes))) return;
    } else if (element.id === SIMPLE_BLOCK || element.id === BLOCK) {
      yield* framesOf(await readBlock(bytes, element.size, track.number), track);
    } else if (!ENTERED.has(element.id) && !(await bytes.skip(element.size))) return;
  }
}

/** False for what cannot stand beside or inside a cluster: then the bytes before it were damaged. */
const makesSense = ({ id, size }: Element): boolean =>
  ENTERED.has(id) || (TOP_LEVEL.has(id) && size !== Infinity) || (IN_CLUSTER.has(id) && size <= CHILD_MAX);

/** Content of a block of the wanted track, from its flags on; null for blocks of other tracks, which are not kept. */
async function readBlock(bytes: ByteReader, size: number, wanted: number): Promise<Uint8Array | null> {
  if (size > BLOCK_MAX) {
    await bytes.skip(size);
    return null;
  }
  const block = await bytes.take(size);
  const number = block && variableAt(block, 0);
  return block !== null && number?.value === wanted ? block.subarray(number.end + 2) : null;
}

/** Reads up to the name of the next cluster, which it has then read; false at the end. */
async function findCluster(bytes: ByteReader): Promise<boolean> {
  let last = 0;
  for (;;) {
    const piece = await bytes.take(1);
    if (piece === null) return false;
    last = ((last << 8) | (piece[0] ?? 0)) >>> 0;
    if (last === CLUSTER) return (await readSize(bytes)) !== null;
  }
}

/** The frames of a block, which may be laced: several with their sizes before them. */
function* framesOf(block: Uint8Array | null, { prefix }: Track): Generator<Uint8Array> {
  const flags = block?.[0];
  if (block === null || flags === undefined) return;
  const lacing = (flags >> 1) & 3;
  if (lacing === 0) return yield whole(block.subarray(1), prefix);
  const count = (block[1] ?? 0) + 1;
  const laced = lacing === 1 ? xiphSizes(block, count) : lacing === 3 ? ebmlSizes(block, count) : { sizes: [], at: 2 };
  if (lacing === 2) laced.sizes = new Array<number>(count - 1).fill(Math.floor((block.length - 2) / count));
  let at = laced.at;
  for (const size of [...laced.sizes, Infinity]) {
    if (size < 0 || at >= block.length) return;
    yield whole(block.subarray(at, at + size), prefix);
    at += size;
  }
}

const whole = (frame: Uint8Array, prefix: Uint8Array): Uint8Array =>
  prefix.length === 0 ? frame : joined([prefix, frame]);

interface Laced {
  sizes: number[];
  at: number;
}

function xiphSizes(block: Uint8Array, count: number): Laced {
  const sizes: number[] = [];
  let at = 2;
  while (sizes.length < count - 1 && at < block.length) {
    let size = 0;
    let byte = 255;
    while (byte === 255 && at < block.length) {
      byte = block[at] ?? 0;
      size += byte;
      at += 1;
    }
    sizes.push(size);
  }
  return { sizes, at };
}

/** The first size as it is, each further one as its difference to the one before. */
function ebmlSizes(block: Uint8Array, count: number): Laced {
  const sizes: number[] = [];
  let at = 2;
  while (sizes.length < count - 1) {
    const number = variableAt(block, at);
    if (number === null) break;
    const middle = 2 ** (7 * (number.end - at) - 1) - 1;
    sizes.push(sizes.length === 0 ? number.value : (sizes.at(-1) ?? 0) + number.value - middle);
    at = number.end;
  }
  return { sizes, at };
}
