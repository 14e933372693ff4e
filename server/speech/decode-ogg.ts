import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import type { Codec } from './decode-codec.ts';

export async function openVorbis(): Promise<Codec> {
  const vorbis = new OggVorbisDecoder();
  await vorbis.ready;
  return { push: (bytes) => vorbis.decode(bytes), flush: () => vorbis.flush() };
}

export async function openOpus(): Promise<Codec> {
  const opus = new OggOpusDecoder();
  await opus.ready;
  return { push: (bytes) => opus.decode(bytes), flush: () => opus.flush() };
}
