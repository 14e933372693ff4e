import { decoder } from '@audio/decode-wav';
import { joined, textOf, viewOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { headerCutShort, headerNonsense, needsFfmpeg } from './codec.ts';
import type { PcmBlock, PlacedBlock } from './codec.ts';
import { withinPart } from './joins.ts';
import { decodeMp3 } from './mp3.ts';
import { checkShape, decodePcm } from './pcm.ts';
import { EngineError } from '../port.ts';

/** The largest number of bytes of chunks before the audio; even pictures stay below this. */
const HEADER_MAX = 1 << 24;
const FORMAT_MAX = 1 << 12;
const READ_BYTES = 1 << 13;

const EXTENSIBLE = 0xfffe;
const MS_ADPCM = 2;
const IMA_ADPCM = 0x11;
const LAWS = new Map<number, 'alaw' | 'mulaw'>([
  [6, 'alaw'],
  [7, 'mulaw'],
]);
const MPEG = new Set([0x50, 0x55]);
const NAMES: Readonly<Record<number, string>> = {
  0x31: 'GSM 6.10',
  0x45: 'G.726',
  0x61: 'Duck ADPCM',
  0xff: 'AAC',
  0x160: 'Windows Media Audio',
  0x161: 'Windows Media Audio',
  0x2000: 'AC-3',
};

interface Chunk {
  id: string;
  size: number;
  /** Bytes to the next chunk after the content. */
  padding: number;
}

/**
 * RIFF and RF64 WAVE: integer and float PCM, A-law, µ-law, IMA and MS ADPCM, MPEG audio. A file that was cut short
 * gives the audio it holds.
 */
export async function* decodeWav(bytes: ByteReader): AsyncGenerator<PlacedBlock> {
  if (!(await bytes.skip(12))) throw headerCutShort('WAV');
  yield* decodeChunks(bytes, 'WAV', async () => {
    const head = await bytes.take(8);
    if (head === null) return null;
    const size = viewOf(head).getUint32(4, true);
    return { id: textOf(head, 0, 4), size, padding: size & 1 };
  });
}

/** Sony Wave64: RIFF WAVE with 16-byte names and 64-bit sizes. */
export async function* decodeWave64(bytes: ByteReader): AsyncGenerator<PlacedBlock> {
  if (!(await bytes.skip(40))) throw headerCutShort('Wave64');
  yield* decodeChunks(bytes, 'Wave64', async () => {
    const head = await bytes.take(24);
    if (head === null) return null;
    // The size includes the chunk's header of 24 bytes.
    const size = Math.max(0, Number(viewOf(head).getBigUint64(16, true)) - 24);
    return { id: textOf(head, 0, 4), size, padding: -size & 7 };
  });
}

async function* decodeChunks(
  bytes: ByteReader,
  name: string,
  next: () => Promise<Chunk | null>,
): AsyncGenerator<PlacedBlock> {
  let format: Uint8Array | null = null;
  let bigSize: number | null = null;
  let passed = 0;
  for (;;) {
    const chunk = await next();
    if (chunk === null) throw headerCutShort(name);
    if (chunk.id === 'data') {
      if (format === null) throw headerNonsense(name, 'it has no format before its audio');
      const size = bigSize !== null && chunk.size === 0xffff_ffff ? bigSize : chunk.size;
      // A recorder that writes to a pipe does not know the size: it writes 0 or the largest number.
      const known = size === 0 || size === 0xffff_ffff ? Infinity : size;
      const content = format;
      return yield* withinPart(bytes, (inside) => decodeData(inside, name, content), known);
    }
    passed += chunk.size;
    if (passed > HEADER_MAX) throw headerNonsense(name, 'it has no audio in its first 16 megabytes');
    if ((chunk.id === 'fmt ' || chunk.id === 'ds64') && chunk.size >= 16 && chunk.size <= FORMAT_MAX) {
      const content = await bytes.take(chunk.size);
      if (content === null) throw headerCutShort(name);
      if (chunk.id === 'fmt ') format = content;
      else bigSize = Number(viewOf(content).getBigUint64(8, true));
    } else if (!(await bytes.skip(chunk.size))) throw headerCutShort(name);
    await bytes.skip(chunk.padding);
  }
}

function decodeData(bytes: ByteReader, name: string, format: Uint8Array): AsyncIterable<PlacedBlock> {
  const view = viewOf(format);
  const declared = view.getUint16(0, true);
  // An extensible header has the real format tag at the start of its sub-format.
  const tag = declared === EXTENSIBLE && format.length >= 26 ? view.getUint16(24, true) : declared;
  const channels = view.getUint16(2, true);
  const sampleRate = view.getUint32(4, true);
  const frameBytes = view.getUint16(12, true);
  checkShape(sampleRate, channels);
  if (MPEG.has(tag)) return decodeMp3(bytes);
  if (tag === MS_ADPCM || tag === IMA_ADPCM) return decodeAdpcm(bytes, format, tag);
  const law = LAWS.get(tag);
  if (law !== undefined) return decodePcm(bytes, { kind: law, width: 1, littleEndian: true, channels, sampleRate });
  if (tag !== 1 && tag !== 3) throw needsFfmpeg(`${name} with ${NAMES[tag] ?? `codec 0x${tag.toString(16)}`}`);
  const bits = view.getUint16(14, true);
  const width = frameBytes === 0 ? Math.ceil(bits / 8) : frameBytes / channels;
  if (!Number.isInteger(width) || width * 8 < bits)
    throw headerNonsense(name, `${channels} channels of ${bits} bits in ${frameBytes} bytes`);
  const kind = tag === 3 ? 'float' : width === 1 ? 'uint' : 'int';
  return decodePcm(bytes, { kind, width, littleEndian: true, channels, sampleRate });
}

/** The library reads the format from a WAV header, so give it one, with unknown sizes. */
async function* decodeAdpcm(bytes: ByteReader, format: Uint8Array, tag: number): AsyncGenerator<PcmBlock> {
  checkAdpcm(format, tag);
  const formatSize = Buffer.alloc(4);
  formatSize.writeUInt32LE(format.length);
  const wav = decoder();
  wav.decode(
    joined([
      Buffer.from('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1'),
      formatSize,
      format,
      Buffer.from('data\xff\xff\xff\xff', 'latin1'),
    ]),
  );
  for (let piece = await bytes.upTo(READ_BYTES); piece !== null; piece = await bytes.upTo(READ_BYTES))
    yield wav.decode(piece);
}

/** Checks the samples per block, because the library allocates memory for as many as declared. @throws EngineError */
function checkAdpcm(format: Uint8Array, tag: number): void {
  const view = viewOf(format);
  const channels = view.getUint16(2, true);
  const blockBytes = view.getUint16(12, true);
  const samples = format.length >= 20 ? view.getUint16(18, true) : 0;
  const most = tag === IMA_ADPCM ? 1 + (blockBytes / channels - 4) * 2 : 2 + (blockBytes / channels - 7) * 2;
  if (channels > 2 || most < 2 || samples > most)
    throw new EngineError(
      'invalid_audio',
      `The header of the WAV audio makes no sense: ADPCM blocks of ${blockBytes} bytes with ${samples} samples.`,
    );
}
