import { viewOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { headerCutShort, needsFfmpeg } from './codec.ts';
import type { PcmBlock } from './codec.ts';
import { withinPart } from './joins.ts';
import { decodePcm } from './pcm.ts';
import type { SampleLayout } from './pcm.ts';

const NAME = 'AU';
const HEADER_BYTES = 24;
const HEADER_MAX = 1 << 16;
/** The size if the recorder does not know it. */
const UNKNOWN = 0xffff_ffff;

/** Encodings of plain samples, by AU's numbers. */
const CODINGS: Readonly<Record<number, Pick<SampleLayout, 'kind' | 'width'>>> = {
  1: { kind: 'mulaw', width: 1 },
  2: { kind: 'int', width: 1 },
  3: { kind: 'int', width: 2 },
  4: { kind: 'int', width: 3 },
  5: { kind: 'int', width: 4 },
  6: { kind: 'float', width: 4 },
  7: { kind: 'float', width: 8 },
  27: { kind: 'alaw', width: 1 },
};

/** AU (Sun and NeXT) with PCM. A file that was cut short gives the audio it holds. @throws EngineError */
export async function* decodeAu(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  const head = await bytes.take(HEADER_BYTES);
  if (head === null) throw headerCutShort(NAME);
  const view = viewOf(head);
  const [start, size, encoding] = [view.getUint32(4), view.getUint32(8), view.getUint32(12)];
  const coding = CODINGS[encoding];
  if (coding === undefined || start < HEADER_BYTES || start > HEADER_MAX)
    throw needsFfmpeg(`${NAME} with encoding ${encoding}`);
  const layout = { ...coding, littleEndian: false, sampleRate: view.getUint32(16), channels: view.getUint32(20) };
  if (!(await bytes.skip(start - HEADER_BYTES))) throw headerCutShort(NAME);
  const known = size === UNKNOWN || size === 0 ? Infinity : size;
  yield* withinPart(bytes, (inside) => decodePcm(inside, layout), known);
}
