import { textOf, viewOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import { headerCutShort, headerNonsense, needsFfmpeg } from './codec.ts';
import type { PcmBlock } from './codec.ts';
import { withinPart } from './joins.ts';
import { decodePcm } from './pcm.ts';
import type { SampleLayout } from './pcm.ts';

const NAME = 'Core Audio';
const HEADER_MAX = 1 << 24;
const DESCRIPTION_BYTES = 32;
const IS_FLOAT = 1;
const IS_LITTLE_ENDIAN = 2;

/** @throws EngineError */
function layoutOf(description: Uint8Array): SampleLayout {
  const view = viewOf(description);
  const coding = textOf(description, 8, 12);
  const flags = view.getUint32(12);
  const channels = view.getUint32(24);
  const shape = {
    channels,
    sampleRate: Math.round(view.getFloat64(0)),
    littleEndian: (flags & IS_LITTLE_ENDIAN) !== 0,
  };
  if (coding === 'alaw' || coding === 'ulaw') return { ...shape, kind: coding === 'alaw' ? 'alaw' : 'mulaw', width: 1 };
  if (coding !== 'lpcm') throw needsFfmpeg(`Core Audio with ${JSON.stringify(coding.trim())} compression`);
  return { ...shape, kind: (flags & IS_FLOAT) !== 0 ? 'float' : 'int', width: Math.ceil(view.getUint32(28) / 8) };
}

/** Core Audio files with PCM. A file that was cut short gives the audio it holds. */
export async function* decodeCaf(bytes: ByteReader): AsyncGenerator<PcmBlock> {
  if (!(await bytes.skip(8))) throw headerCutShort(NAME);
  let layout: SampleLayout | null = null;
  for (let passed = 0; passed <= HEADER_MAX;) {
    const head = await bytes.take(12);
    if (head === null) throw headerCutShort(NAME);
    const id = textOf(head, 0, 4);
    const size = Number(viewOf(head).getBigInt64(4));
    if (id === 'data') {
      if (layout === null) throw headerNonsense(NAME, 'it has no format before its audio');
      // An edit count of four bytes precedes the audio. A size of -1 is unknown.
      await bytes.skip(4);
      const samples = layout;
      return yield* withinPart(bytes, (inside) => decodePcm(inside, samples), size < 4 ? Infinity : size - 4);
    }
    if (size < 0) break;
    passed += size;
    if (id === 'desc' && size === DESCRIPTION_BYTES) {
      const description = await bytes.take(size);
      if (description === null) throw headerCutShort(NAME);
      layout = layoutOf(description);
    } else if (!(await bytes.skip(size))) throw headerCutShort(NAME);
  }
  throw headerNonsense(NAME, 'it has no audio in its first 16 megabytes');
}
