import type { ByteReader } from './bytes.ts';
import { joined, viewOf } from './bytes.ts';
import { hasFramesAhead, markAhead } from './joins.ts';
import { findMark } from './marks.ts';
import { BEGINNING_SECONDS, NOTHING, PARTS_MAX, headerCutShort, needsFfmpeg, type PlacedBlock } from './codec.ts';
import { children, nextElement, readSize, unsigned, variableAt, type Element } from './ebml.ts';
import { audioTracks, type Track } from './matroska-track.ts';
import { canOpen, openPackets, type Packets } from './packets.ts';
import { EngineError } from '../port.ts';

const EBML = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const TRACKS = 0x1654ae6b;
const CLUSTER = 0x1f43b675;
const CLUSTER_BYTES = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);
const BLOCK_GROUP = 0xa0;
const BLOCK = 0xa1;
const SIMPLE_BLOCK = 0xa3;
const INFO = 0x1549a966;
const TIME_SCALE = 0x2ad7b1;
const CLUSTER_TIME = 0xe7;
const MILLISECOND = 1_000_000;
const NO_BYTES = new Uint8Array(0);

/** Elements whose children are read without trusting the element's size, which may be unknown or wrong. */
const ENTERED = new Set([SEGMENT, CLUSTER, BLOCK_GROUP]);
/** EBML head of an appended recording, seek head, info, tracks, cues, chapters, tags, attachments, void, checksum. */
const TOP_LEVEL = new Set([EBML, 0x114d9b74, INFO, TRACKS, 0x1c53bb6b, 0x1043a770, 0x1254c367, 0x1941a469, 0xec, 0xbf]);
/** Elements of a cluster: blocks, time stamps, durations, references, additions, padding. */
const IN_CLUSTER = new Set([
  SIMPLE_BLOCK,
  BLOCK,
  CLUSTER_TIME,
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
const HEADER_MAX = 1 << 20;
/** Largest block of sound: some seconds, even uncompressed. */
const BLOCK_MAX = 1 << 22;
/** Largest element of a cluster; a video frame may be large. */
const CHILD_MAX = 1 << 26;
/** The elements to read, with their largest size. Larger ones are skipped. */
const SIZE_MAX_OF = new Map([
  [INFO, HEADER_MAX],
  [TRACKS, HEADER_MAX],
  [CLUSTER_TIME, 8],
  [SIMPLE_BLOCK, BLOCK_MAX],
  [BLOCK, BLOCK_MAX],
]);
const NAME = 'WebM or Matroska';

/**
 * WebM and Matroska with Opus, Vorbis, FLAC, MPEG audio or PCM. Yields the frames of the simultaneous audio tracks with
 * their times. Sizes may be unknown, as in live recordings. Recordings appended to the first are numbered as parts.
 */
export async function* decodeMatroska(bytes: ByteReader): AsyncGenerator<PlacedBlock> {
  const { tracks, scale } = await readHeader(bytes);
  let recording = await Recording.open(tracks, scale, 0);
  yield* recording.tracks();
  for await (const element of elementsOf(bytes)) {
    if (element.id === CLUSTER_TIME) recording.clusterTime = unsigned(element.content);
    else if (element.id === INFO) recording.scale = scaleIn(element.content);
    else if (element.id === TRACKS) {
      yield* recording.rest();
      recording = await recording.next(element.content);
      yield* recording.tracks();
    } else yield* recording.blocks(element.content);
  }
  yield* recording.rest();
}

const scaleIn = (info: Uint8Array): number =>
  unsigned(Array.from(children(info)).find(({ id }) => id === TIME_SCALE)?.content ?? NO_BYTES) || MILLISECOND;

/** Reads up to the list of tracks. @throws EngineError */
async function readHeader(bytes: ByteReader): Promise<{ tracks: Uint8Array; scale: number }> {
  let scale = MILLISECOND;
  for (;;) {
    const element = await nextElement(bytes);
    if (element === null || element === 'damaged' || element.id === CLUSTER) throw headerCutShort(NAME);
    if (element.id === TRACKS || (element.id === INFO && element.size <= HEADER_MAX)) {
      if (element.size > HEADER_MAX)
        throw new EngineError('invalid_audio', `The list of tracks in the ${NAME} file makes no sense.`);
      const content = await bytes.take(element.size);
      if (content === null) throw headerCutShort(NAME);
      if (element.id === TRACKS) return { tracks: content, scale };
      scale = scaleIn(content);
    } else if (!ENTERED.has(element.id) && (element.size === Infinity || !(await bytes.skip(element.size))))
      throw headerCutShort(NAME);
  }
}

interface Content {
  id: number;
  content: Uint8Array;
}

/**
 * Yields the elements the decoder needs: blocks, cluster times, and the info and tracks of appended recordings. Skips
 * damaged bytes.
 */
async function* elementsOf(bytes: ByteReader): AsyncGenerator<Content> {
  for (;;) {
    // A recording in another format begins here.
    if ((await hasFramesAhead(bytes)) || ![null, 'matroska'].includes(await markAhead(bytes))) return;
    const element = await nextElement(bytes);
    if (element === null) return;
    const { id, size } = element === 'damaged' ? { id: 0, size: 0 } : element;
    const largest = SIZE_MAX_OF.get(id);
    if (element === 'damaged' || !makesSense(element)) {
      if (!(await findCluster(bytes))) return;
    } else if (largest !== undefined && size <= largest) {
      const content = await bytes.take(size);
      if (content === null) return;
      yield { id, content };
    } else if (!ENTERED.has(id) && !(await bytes.skip(size))) return;
  }
}

/** One recording: from its list of tracks to the next list. */
class Recording {
  clusterTime = 0;
  /** Nanoseconds of one tick. */
  scale: number;
  readonly #tracks: readonly OpenTrack[];
  readonly #part: number;
  /** How many tracks are not decoded; null if the whole part is not. */
  readonly #leftOut: number | null;
  /** Seconds to subtract from each time; null before the first block. */
  #origin: number | null = null;

  private constructor(tracks: readonly OpenTrack[], leftOut: number | null, scale: number, part: number) {
    this.#tracks = tracks;
    this.#leftOut = leftOut;
    this.scale = scale;
    this.#part = part;
  }

  /** @throws EngineError if the main track cannot be decoded */
  static async open(list: Uint8Array, scale: number, part: number): Promise<Recording> {
    const { main, others, leftOut } = audioTracks(list);
    const packets = await openPackets(main);
    if (packets === null) throw needsFfmpeg(`${NAME} with ${main.codec.replace(/^A_/, '')} audio`);
    const otherTracks = others.filter(canOpen);
    return new Recording(
      [{ track: main, packets }, ...otherTracks.map((track) => ({ track }))],
      leftOut + others.length - otherTracks.length,
      scale,
      part,
    );
  }

  /** Opens the recording that follows this one; it has no tracks if they cannot be decoded. */
  async next(list: Uint8Array): Promise<Recording> {
    const part = this.#part + 1;
    try {
      if (part < PARTS_MAX) return await Recording.open(list, this.scale, part);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
    }
    return new Recording([], null, this.scale, part);
  }

  /** Announces the tracks, and those that are left out. */
  *tracks(): Generator<PlacedBlock> {
    if (this.#leftOut === null) yield { ...NOTHING, part: this.#part, leftOut: 'part' };
    for (let left = this.#leftOut ?? 0; left > 0; left -= 1) yield { ...NOTHING, part: this.#part, leftOut: 'track' };
    for (const { track } of this.#tracks) yield { ...NOTHING, track: track.number, part: this.#part };
  }

  async *blocks(block: Uint8Array): AsyncGenerator<PlacedBlock> {
    const number = variableAt(block, 0);
    if (number === null || number.end + 3 > block.length) return;
    const time = (this.clusterTime + viewOf(block).getInt16(number.end)) * (this.scale / 1e9);
    // The first block may be of any track, even of video.
    this.#origin ??= this.#part > 0 || time > BEGINNING_SECONDS ? time : 0;
    const open = this.#tracks.find(({ track }) => track.number === number.value);
    if (open === undefined) return;
    if (open.packets === undefined) {
      open.packets = await openOther(open.track);
      if (open.packets === null) yield { ...NOTHING, part: this.#part, leftOut: 'track' };
    }
    let at: number | undefined = time - this.#origin - open.track.delay;
    for (const frame of framesOf(block.subarray(number.end + 2), open.track)) {
      const decoded = (await open.packets?.decode(frame)) ?? NOTHING;
      yield { ...decoded, ...(at !== undefined && { at }), track: open.track.number, part: this.#part };
      if (decoded.channelData.length > 0) at = undefined;
    }
  }

  /** Yields the sound that the decoders still hold. */
  async *rest(): AsyncGenerator<PlacedBlock> {
    for (const { track, packets } of this.#tracks)
      yield { ...((await packets?.flush()) ?? NOTHING), track: track.number, part: this.#part };
  }
}

/**
 * Opens the decoder of a track other than the main one; null if its header is invalid. The other tracks are
 * still decoded.
 */
async function openOther(track: Track): Promise<Packets | null> {
  try {
    return await openPackets(track);
  } catch (error) {
    if (error instanceof EngineError) return null;
    throw error;
  }
}

interface OpenTrack {
  track: Track;
  /** Its decoder, opened with its first block; null if it cannot be decoded. */
  packets?: Packets | null;
}

/** Whether the element can stand beside or inside a cluster. If not, the bytes are damaged. */
const makesSense = ({ id, size }: Element): boolean =>
  ENTERED.has(id) || (TOP_LEVEL.has(id) && size !== Infinity) || (IN_CLUSTER.has(id) && size <= CHILD_MAX);

/** Skips damage, up to the content of the next cluster or to another recording; false at the end. */
async function findCluster(bytes: ByteReader): Promise<boolean> {
  for (;;) {
    const data = await bytes.peek(CLUSTER_BYTES.length);
    if (data.length < CLUSTER_BYTES.length) return false;
    const mark = findMark(data).at;
    const cluster = Buffer.from(data.buffer, data.byteOffset, data.length).indexOf(CLUSTER_BYTES);
    if (cluster >= 0 && cluster < mark) return (await bytes.skip(cluster + 4)) && (await readSize(bytes)) !== null;
    if (mark === 0 && (await markAhead(bytes)) !== null) return true;
    // The id may be cut at the end of the data.
    await bytes.skip(Math.max(1, Math.min(mark, data.length - CLUSTER_BYTES.length + 1)));
  }
}

/** Yields the frames of a block that starts at its flags. A laced block holds several frames, with their sizes first. */
function* framesOf(block: Uint8Array, { prefix }: Track): Generator<Uint8Array> {
  const flags = block[0];
  if (flags === undefined) return;
  const lacing = (flags >> 1) & 3;
  if (lacing === 0) return yield withPrefix(block.subarray(1), prefix);
  const count = (block[1] ?? 0) + 1;
  const laced = lacing === 1 ? xiphSizes(block, count) : lacing === 3 ? ebmlSizes(block, count) : { sizes: [], at: 2 };
  if (lacing === 2) laced.sizes = new Array<number>(count - 1).fill(Math.floor((block.length - 2) / count));
  let at = laced.at;
  for (const size of [...laced.sizes, Infinity]) {
    if (size < 0 || at >= block.length) return;
    yield withPrefix(block.subarray(at, at + size), prefix);
    at += size;
  }
}

const withPrefix = (frame: Uint8Array, prefix: Uint8Array): Uint8Array =>
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

/** EBML lacing: the first size, then each size's difference from the size before it. */
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
