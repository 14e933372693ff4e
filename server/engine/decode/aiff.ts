import { textOf, viewOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { headerCutShort, headerNonsense, needsFfmpeg } from './codec.ts';
import type { PcmBlock } from './codec.ts';
import { withinPart } from './joins.ts';
import { decodePcm } from './pcm.ts';
import type { SampleLayout } from './pcm.ts';

const NAME = 'AIFF';
const HEADER_MAX = 1 << 24;
const COMMON_MAX = 1 << 12;

type Coding = Pick<SampleLayout, 'kind' | 'littleEndian'> & { width?: number };

/** Compression types of AIFF-C that are plain PCM or G.711. Samples of one byte are signed, unlike in WAV. */
const CODINGS: Readonly<Record<string, Coding>> = {
  none: { kind: 'int', littleEndian: false },
  twos: { kind: 'int', littleEndian: false },
  sowt: { kind: 'int', littleEndian: true },
  'raw ': { kind: 'uint', littleEndian: false },
  in24: { kind: 'int', littleEndian: false, width: 3 },
  in32: { kind: 'int', littleEndian: false, width: 4 },
  fl32: { kind: 'float', littleEndian: false, width: 4 },
  fl64: { kind: 'float', littleEndian: false, width: 8 },
  alaw: { kind: 'alaw', littleEndian: false, width: 1 },
  ulaw: { kind: 'mulaw', littleEndian: false, width: 1 },
};

/** Reads an 80-bit extended float, AIFF's format of the sample rate. */
export function extendedAt(view: DataView, at: number): number {
  const exponent = view.getUint16(at) & 0x7fff;
  return Number(view.getBigUint64(at + 2)) * 2 ** (exponent - 16_383 - 63);
}

/** @throws EngineError */
function layoutOf(common: Uint8Array): SampleLayout {
  const view = viewOf(common);
  const compression = common.length >= 22 ? textOf(common, 18, 22) : 'NONE';
  const coding = CODINGS[compression.toLowerCase()];
  if (coding === undefined) throw needsFfmpeg(`AIFF with ${JSON.stringify(compression.trim())} compression`);
  return {
    kind: coding.kind,
    littleEndian: coding.littleEndian,
    width: coding.width ?? Math.ceil(view.getUint16(6) / 8),
    channels: view.getUint16(0),
    sampleRate: Math.round(extendedAt(view, 8)),
  };
}

/** AIFF and AIFF-C with PCM. A file that was cut short gives the audio it holds. */
export async function* decodeAiff(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  if (!(await bytes.skip(12))) throw headerCutShort(NAME);
  let layout: SampleLayout | null = null;
  for (let passed = 0; passed <= HEADER_MAX;) {
    const head = await bytes.take(8);
    if (head === null) throw headerCutShort(NAME);
    const id = textOf(head, 0, 4);
    const size = viewOf(head).getUint32(4);
    if (id === 'SSND') {
      if (layout === null) throw headerNonsense(NAME, 'it has no format before its audio');
      const start = await bytes.take(8);
      if (start === null) throw headerCutShort(NAME);
      const offset = viewOf(start).getUint32(0);
      if (!(await bytes.skip(offset))) throw headerCutShort(NAME);
      // A recorder that writes to a pipe does not know the size.
      const known = size <= 8 + offset || size === 0xffff_ffff ? Infinity : size - 8 - offset;
      const samples = layout;
      return yield* withinPart(bytes, (inside) => decodePcm(inside, samples), known);
    }
    passed += size;
    if (id === 'COMM' && size >= 18 && size <= COMMON_MAX) {
      const common = await bytes.take(size);
      if (common === null) throw headerCutShort(NAME);
      layout = layoutOf(common);
    } else if (!(await bytes.skip(size))) throw headerCutShort(NAME);
    await bytes.skip(size & 1);
  }
  throw headerNonsense(NAME, 'it has no audio in its first 16 megabytes');
}
