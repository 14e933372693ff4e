import { open } from 'node:fs/promises';
import { SNIFF_BYTES, formatName, isBuiltIn, sniffFormat } from './audio-format.ts';
import type { AudioFormat } from './audio-format.ts';
import { decodeWithFfmpeg, findFfmpeg } from './decode-ffmpeg.ts';
import { decodeInThread } from './decode-thread.ts';
import { SAMPLE_RATE } from './moonshine.ts';
import { EngineError } from './port.ts';
import type { AudioDecoder } from './port.ts';

async function formatOf(path: string): Promise<AudioFormat> {
  const file = await open(path);
  const head = new Uint8Array(SNIFF_BYTES);
  let bytesRead: number;
  try {
    ({ bytesRead } = await file.read(head, 0, SNIFF_BYTES));
  } finally {
    await file.close();
  }
  if (bytesRead === 0) throw new EngineError('invalid_audio', 'The file is empty.');
  const format = sniffFormat(head.subarray(0, bytesRead));
  if (format === null) throw new EngineError('invalid_audio', 'The file is of no known audio format.');
  return format;
}

async function piecesOf(path: string, signal: AbortSignal | undefined): Promise<AsyncGenerator<Float32Array>> {
  const format = await formatOf(path);
  if (isBuiltIn(format)) return decodeInThread(path, format, signal);
  const ffmpeg = await findFfmpeg();
  if (ffmpeg !== undefined) return decodeWithFfmpeg(ffmpeg, path, format, signal);
  throw new EngineError('unsupported_format', `${formatName(format)} files need ffmpeg: install ffmpeg on the server, or upload WAV, MP3, FLAC, Ogg Vorbis or Ogg Opus.`);
}

/**
 * Decodes uploads: WAV, MP3, FLAC, Ogg Vorbis and Ogg Opus by built-in decoders in a thread, the other formats through ffmpeg
 * when it is on PATH. A file cut short gives the audio it holds.
 */
export function createAudioDecoder(): AudioDecoder {
  return {
    async *decode(path, { maxSeconds, signal }) {
      if (signal?.aborted === true) throw new EngineError('aborted', 'The decoding was cancelled.');
      let samples = 0;
      for await (const piece of await piecesOf(path, signal)) {
        samples += piece.length;
        if (samples > maxSeconds * SAMPLE_RATE) throw new EngineError('audio_too_long', `The audio is longer than ${maxSeconds} seconds.`);
        yield piece;
      }
      if (samples === 0) throw new EngineError('invalid_audio', 'The file holds no audio.');
    },
  };
}
