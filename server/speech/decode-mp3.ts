import { MPEGDecoder } from 'mpg123-decoder';
import type { Codec } from './decode-codec.ts';
import { NOTHING } from './decode-codec.ts';

/** MPEG layer I, II and III. Mono comes as two equal channels. */
export async function openMp3(): Promise<Codec> {
  const mpeg = new MPEGDecoder();
  await mpeg.ready;
  return { push: (bytes) => mpeg.decode(bytes), flush: () => NOTHING };
}
