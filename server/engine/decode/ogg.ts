import { joined, textOf, viewOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import {
  BEGINNING_SECONDS,
  NOTHING,
  PARTS_MAX,
  TRACKS_MAX,
  headerCutShort,
  needsFfmpeg,
  type PcmBlock,
  type PlacedBlock,
} from './codec.ts';
import { OggPackets, oggCodec, oggPages, type OggPage } from './ogg-pages.ts';
import { openPackets, type Packets } from './packets.ts';
import { EngineError } from '../port.ts';

/** Longest first block of Vorbis, in samples; it gives no sound. */
const FIRST_BLOCK_MAX = 8192;

/**
 * Ogg with Opus, Vorbis or FLAC. Simultaneous streams become tracks, consecutive ones parts, regardless of their serial
 * numbers, codecs and rates.
 */
export async function* decodeOgg(bytes: ByteReader): AsyncGenerator<PlacedBlock> {
  let streams = new Map<number, OggStream>();
  let part = -1;
  let isPastBeginning = true;
  let streamCount = 0;
  let beginning: Beginning = { origin: null, latest: BEGINNING_SECONDS };
  for await (const page of oggPages(bytes)) {
    // Damage can set the flag of a first page, so check it.
    const begins = page.begins && (page.number === 0 || oggCodec(page.body) !== null);
    if (begins && isPastBeginning) {
      for (const stream of streams.values()) yield* stream.rest(part);
      streams = new Map();
      isPastBeginning = false;
      part += 1;
      beginning = { origin: null, latest: part === 0 ? BEGINNING_SECONDS : 0 };
    }
    if (begins && streams.size < TRACKS_MAX) {
      streamCount += 1;
      if (streamCount > PARTS_MAX) return yield { ...NOTHING, part, leftOut: 'part' };
      const track = streams.size;
      streams.set(page.serial, new OggStream(page, track, beginning));
      if (oggCodec(page.body) !== null) yield { ...NOTHING, track, part };
      else if (isSpeex(page.body)) yield { ...NOTHING, part, leftOut: track === 0 ? 'part' : 'track' };
    }
    isPastBeginning ||= !begins;
    try {
      yield* streams.get(page.serial)?.blocks(page, part) ?? [];
    } catch (error) {
      if ((part === 0 && streams.size === 1) || !(error instanceof EngineError)) throw error;
      // The headers of this stream are damaged; others can be heard.
      streams.delete(page.serial);
      yield { ...NOTHING, part, leftOut: streams.size === 0 ? 'part' : 'track' };
    }
  }
  for (const stream of streams.values()) yield* stream.rest(part);
}

const isHeader = {
  opus: (packet: Uint8Array) => packet[0] === 0x4f && packet[1] === 0x70 && packet[2] === 0x75 && packet[3] === 0x73,
  vorbis: (packet: Uint8Array) => ((packet[0] ?? 0) & 1) === 1,
  flac: (packet: Uint8Array) => packet[0] !== 0xff,
};
/** Speech without a built-in decoder. Other unknown streams are pictures or text. */
const isSpeex = (packet: Uint8Array): boolean => textOf(packet, 0, 8) === 'Speex   ';
const MATROSKA_NAME = { opus: 'A_OPUS', vorbis: 'A_VORBIS', flac: 'A_FLAC' } as const;
type Codec = NonNullable<ReturnType<typeof oggCodec>>;

/** Where the simultaneous streams of a part begin. */
interface Beginning {
  /** Seconds to subtract from each time; null before the first sound. */
  origin: number | null;
  /** A part whose first sound is later than this second was cut from a longer recording: its time starts there. */
  latest: number;
}

/** One logical stream. Gives no sound if its codec is unknown. */
class OggStream {
  readonly #assemble = new OggPackets();
  readonly #track: number;
  readonly #codec: Codec | null;
  readonly #headers: Uint8Array[] = [];
  #decoder: Packets | undefined;
  /** Sample position of its first sound; null before that. */
  #start: number | null = null;
  #decoded = 0;
  readonly #beginning: Beginning;

  /** @param opening its first page @param beginning shared with the simultaneous streams */
  constructor(opening: OggPage, track: number, beginning: Beginning) {
    this.#codec = oggCodec(opening.body);
    this.#track = track;
    this.#beginning = beginning;
  }

  async *blocks(page: OggPage, part: number): AsyncGenerator<PlacedBlock> {
    if (this.#codec === null) return;
    const blocks: PcmBlock[] = [];
    for (const packet of this.#assemble.of(page)) {
      if (packet.length === 0) continue;
      if (this.#decoder === undefined && isHeader[this.#codec.name](packet)) this.#keep(packet);
      else {
        this.#decoder ??= await this.#open(this.#codec);
        blocks.push(await this.#decoder.decode(packet));
      }
    }
    if (page.ends && this.#decoder !== undefined) {
      blocks.push(await this.#decoder.flush());
      this.#decoder = undefined;
    }
    let at = this.#place(page, blocks, this.#codec.rate);
    for (const block of blocks) {
      if (framesOf(block) === 0) continue;
      yield { ...block, track: this.#track, part, ...(at !== undefined && { at }) };
      at = undefined;
    }
  }

  #keep(header: Uint8Array): void {
    // Vorbis needs three headers; no codec needs more.
    if (this.#headers.length < 3) this.#headers.push(header);
  }

  /** Yields the sound that the decoder still holds, if the stream has no last page. */
  async *rest(part: number): AsyncGenerator<PlacedBlock> {
    if (this.#decoder !== undefined) yield { ...(await this.#decoder.flush()), track: this.#track, part };
    this.#decoder = undefined;
  }

  async #open({ name, rate, channels }: Codec): Promise<Packets> {
    const packets = await openPackets({
      number: 0,
      codec: MATROSKA_NAME[name],
      setup: setupOf(name, this.#headers),
      sampleRate: rate,
      channels,
      bits: 16,
      prefix: new Uint8Array(0),
      delay: 0,
    });
    if (packets === null) throw needsFfmpeg('Ogg');
    return packets;
  }

  /**
   * Seconds at which the sound of a page begins, if known. On the last page, cuts the sound to the stream's declared
   * end.
   */
  #place(page: OggPage, blocks: PcmBlock[], rate: number): number | undefined {
    const samples = blocks.reduce((sum, block) => sum + framesOf(block), 0);
    this.#decoded += samples;
    if (page.position === null || samples === 0) return undefined;
    const end = Number(BigInt.asIntN(64, page.position)) - this.#delay();
    const begin = end - samples;
    this.#start ??= begin < FIRST_BLOCK_MAX ? 0 : begin;
    if (page.ends) cutEnd(blocks, this.#start + this.#decoded - end);
    const start = this.#start / rate;
    this.#beginning.origin ??= start > this.#beginning.latest ? start : 0;
    return begin / rate - this.#beginning.origin;
  }

  /** The pre-skip of Opus: samples that positions count and the decoder drops. */
  #delay(): number {
    const [head] = this.#headers;
    return this.#codec?.name === 'opus' && head !== undefined ? viewOf(head).getUint16(10, true) : 0;
  }
}

const framesOf = ({ channelData }: PcmBlock): number => channelData[0]?.length ?? 0;

/** Cuts samples off the end of a list of blocks. */
function cutEnd(blocks: PcmBlock[], samples: number): void {
  for (let index = blocks.length - 1, left = samples; index >= 0 && left > 0; index -= 1) {
    const block = blocks[index];
    if (block === undefined) return;
    const kept = Math.max(0, framesOf(block) - left);
    left -= framesOf(block) - kept;
    blocks[index] = { ...block, channelData: block.channelData.map((channel) => channel.subarray(0, kept)) };
  }
}

/**
 * Converts the headers to Matroska's CodecPrivate, which the track decoders read.
 * @throws EngineError if one is missing
 */
function setupOf(name: Codec['name'], [first, second, third]: readonly Uint8Array[]): Uint8Array {
  if (first === undefined) throw headerCutShort('Ogg');
  if (name === 'opus') return first;
  if (name === 'flac') {
    const setup = first.slice(9);
    // Set the flag of the last metadata block: no other one follows here.
    setup[4] = (setup[4] ?? 0) | 0x80;
    return setup;
  }
  if (second === undefined || third === undefined) throw headerCutShort('Ogg Vorbis');
  const lengths = [first, second].flatMap(({ length }) => [
    ...new Array<number>(Math.floor(length / 255)).fill(255),
    length % 255,
  ]);
  return joined([Uint8Array.of(2, ...lengths), first, second, third]);
}
