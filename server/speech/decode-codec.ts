import type { BuiltInFormat } from './audio-format.ts';

/** Planar audio; no samples when a piece of the file held none. */
export interface PcmBlock {
  channelData: Float32Array[];
  sampleRate: number;
}

/** A decoder that takes a file piece by piece, with whatever cuts between them. */
export interface Codec {
  push(bytes: Uint8Array): Promise<PcmBlock> | PcmBlock;
  /** What is left at the end of the file. */
  flush(): Promise<PcmBlock> | PcmBlock;
}

export const NOTHING: PcmBlock = { channelData: [], sampleRate: 0 };

/** Loads the decoder of a format; only this one's code is loaded. */
export async function openCodec(format: BuiltInFormat): Promise<Codec> {
  switch (format) {
    case 'wav': return (await import('./decode-wav.ts')).openWav();
    case 'mp3': return (await import('./decode-mp3.ts')).openMp3();
    case 'flac': return (await import('./decode-flac.ts')).openFlac(true);
    case 'ogg-flac': return (await import('./decode-flac.ts')).openFlac(false);
    case 'ogg-vorbis': return (await import('./decode-ogg.ts')).openVorbis();
    case 'ogg-opus': return (await import('./decode-ogg.ts')).openOpus();
  }
}
