import { spawn } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { AudioFormat } from './audio-format.ts';
import { SAMPLE_RATE } from './moonshine.ts';
import { PcmReader } from './pcm.ts';
import { EngineError } from './port.ts';

/** ffmpeg's reader for each format. It is told, not guessed: some of its other readers open further files named in the first one. */
const DEMUXERS: Partial<Record<AudioFormat, string>> = {
  aac: 'aac', mp4: 'mov', matroska: 'matroska', aiff: 'aiff', amr: 'amr', asf: 'asf', caf: 'caf', ogg: 'ogg', w64: 'w64', rf64: 'wav',
};

const ERROR_TEXT_MAX = 500;

/** Path of the ffmpeg on PATH, if there is one. */
export async function findFfmpeg(path: string | undefined = process.env['PATH']): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  for (const folder of (path ?? '').split(delimiter).filter((part) => part !== '')) {
    const file = join(folder, name);
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Decodes a file through ffmpeg. Leaving the loop early ends the process. @throws EngineError */
export async function* decodeWithFfmpeg(ffmpeg: string, path: string, format: AudioFormat, signal?: AbortSignal): AsyncGenerator<Float32Array> {
  const input = ['-protocol_whitelist', 'file,pipe', '-f', DEMUXERS[format] ?? format, '-i', `file:${path}`];
  const output = ['-vn', '-sn', '-dn', '-f', 's16le', '-ac', '1', '-ar', String(SAMPLE_RATE), 'pipe:1'];
  const child = spawn(ffmpeg, ['-nostdin', '-hide_banner', '-loglevel', 'error', '-threads', '1', ...input, ...output], { stdio: ['ignore', 'pipe', 'pipe'], ...(signal && { signal }) });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => { complaint = (complaint + text).slice(-ERROR_TEXT_MAX); });
  const exit = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null));
    child.on('close', resolve);
  });
  const reader = new PcmReader(SAMPLE_RATE, 1);
  let samples = 0;
  try {
    for await (const bytes of child.stdout) {
      const piece = reader.push(bytes);
      samples += piece.length;
      if (piece.length > 0) yield piece;
    }
    const code = await exit;
    if (signal?.aborted === true) throw new EngineError('aborted', 'The decoding was cancelled.');
    // What a damaged file gave before its damage is kept.
    if (code !== 0 && samples === 0) throw new EngineError('invalid_audio', `The audio cannot be decoded: ${complaint.trim() || 'ffmpeg failed'}`);
  } finally {
    child.kill('SIGKILL');
  }
}
