import { formatName, type BuiltInFormat } from './audio-format.ts';
import { needsFfmpeg, type Decode, type ThroughFfmpeg } from './codec.ts';

/** Loads the decoder of a format, and no other decoder's code. @throws EngineError if it needs ffmpeg and has none */
export async function loadDecoder(format: BuiltInFormat, through?: ThroughFfmpeg): Promise<Decode> {
  switch (format) {
    case 'wav':
    case 'rf64':
      return (await import('./wav.ts')).decodeWav;
    case 'w64':
      return (await import('./wav.ts')).decodeWave64;
    case 'aiff':
      return (await import('./aiff.ts')).decodeAiff;
    case 'caf':
      return (await import('./caf.ts')).decodeCaf;
    case 'au':
      return (await import('./au.ts')).decodeAu;
    case 'amr':
      return (await import('./amr.ts')).decodeAmr;
    case 'mp3':
      return (await import('./mp3.ts')).decodeMp3;
    case 'aac': {
      if (through === undefined) throw needsFfmpeg(formatName(format));
      const { decodeAac } = await import('./aac.ts');
      return (bytes) => decodeAac(bytes, through);
    }
    case 'flac':
      return (await import('./flac.ts')).decodeFlac;
    case 'ogg-flac':
    case 'ogg-vorbis':
    case 'ogg-opus':
      return (await import('./ogg.ts')).decodeOgg;
    case 'matroska':
      return (await import('./matroska.ts')).decodeMatroska;
  }
}
