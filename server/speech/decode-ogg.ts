import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import type { Codec, PcmBlock } from './decode-codec.ts';
import { NOTHING } from './decode-codec.ts';
import { OggPages } from './ogg-pages.ts';

interface OggDecoder {
  ready: Promise<void>;
  decode(bytes: Uint8Array): Promise<PcmBlock> | PcmBlock;
  flush(): Promise<PcmBlock>;
}

async function openOgg(decoder: OggDecoder): Promise<Codec> {
  await decoder.ready;
  const pages = new OggPages();
  return {
    push(bytes) {
      const whole = pages.push(bytes);
      return whole.length === 0 ? NOTHING : decoder.decode(whole);
    },
    flush: () => decoder.flush(),
  };
}

export const openVorbis = (): Promise<Codec> => openOgg(new OggVorbisDecoder());
export const openOpus = (): Promise<Codec> => openOgg(new OggOpusDecoder());
