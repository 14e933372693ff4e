import { FLACDecoder } from '@wasm-audio-decoders/flac';
import { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import { OggOpusDecoder } from 'ogg-opus-decoder';
import type { ByteReader } from './bytes.ts';
import type { PcmBlock } from './codec.ts';
import { oggPages } from './ogg-pages.ts';

interface OggDecoder {
  ready: Promise<void>;
  decode(bytes: Uint8Array): Promise<PcmBlock> | PcmBlock;
  flush(): Promise<PcmBlock>;
}

/** Page by page: packets of one byte, hundreds to a page, can each hold a tenth of a second. */
async function* decodeOgg(decoder: OggDecoder, bytes: ByteReader): AsyncGenerator<PcmBlock> {
  await decoder.ready;
  for await (const page of oggPages(bytes)) yield await decoder.decode(page);
  yield await decoder.flush();
}

export const decodeVorbis = (bytes: ByteReader): AsyncIterable<PcmBlock> => decodeOgg(new OggVorbisDecoder(), bytes);
export const decodeOpus = (bytes: ByteReader): AsyncIterable<PcmBlock> => decodeOgg(new OggOpusDecoder(), bytes);
export const decodeOggFlac = (bytes: ByteReader): AsyncIterable<PcmBlock> => decodeOgg(new FLACDecoder(), bytes);
