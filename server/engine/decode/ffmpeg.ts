import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { AudioFormat } from './audio-format.ts';
import { PcmReader } from '../pcm.ts';
import { EngineError, SAMPLE_RATE } from '../port.ts';

/** ffmpeg's reader for each format. It is told, not guessed: some of its other readers open further files named in the first one. */
const DEMUXERS: Partial<Record<AudioFormat, string>> = {
  'ogg-vorbis': 'ogg',
  'ogg-opus': 'ogg',
  'ogg-flac': 'ogg',
  mp4: 'mov',
  rf64: 'wav',
};

const ERROR_TEXT_MAX = 4000;
/** Seconds of processor time; five hours of audio take a minute. */
const CPU_SECONDS_MAX = 1800;
/** Largest single block of memory. */
const BLOCK_BYTES_MAX = 1 << 28;
const STALL_MS = 60_000;

/** What ffmpeg writes, and what it means to the one who sent the audio. */
const COMPLAINTS: readonly (readonly [RegExp, string])[] = [
  [/does not contain any stream|matches no streams/i, 'The file has no audio track.'],
  [/encrypt|decryption|drm/i, 'The audio is encrypted and cannot be read.'],
  [/moov atom not found/i, 'The MP4 file is cut short or damaged: its index is missing.'],
  [
    /decoder .* not found|unknown decoder|unknown codec|could not find codec parameters|no decoder/i,
    'The audio is in a codec that the installed ffmpeg cannot decode.',
  ],
  [/cannot allocate memory/i, 'The audio takes too much memory to decode.'],
];

/** Path of ffmpeg: FFMPEG_PATH, or the one on PATH, if there is one. */
export async function findFfmpeg(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  const onPath = (env['PATH'] ?? '')
    .split(delimiter)
    .filter((part) => part !== '')
    .map((folder) => join(folder, name));
  for (const file of [env['FFMPEG_PATH'] ?? '', ...onPath].filter((part) => part !== '')) {
    try {
      await access(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Where ffmpeg reads from: a file, or bytes as they come. */
type Input = { path: string } | { bytes: AsyncIterable<Uint8Array> };

interface Options {
  signal?: AbortSignal | undefined;
  maxSeconds?: number | undefined;
}

/** Decodes through ffmpeg as 16 kHz mono. Leaving the loop early ends the process. @throws EngineError */
export async function* decodeWithFfmpeg(
  ffmpeg: string,
  input: Input,
  format: AudioFormat,
  { signal, maxSeconds }: Options = {},
): AsyncGenerator<Float32Array> {
  const args = argumentsFor(input, format, maxSeconds);
  const child = spawn(ffmpeg, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    killSignal: 'SIGKILL',
    ...(signal && { signal }),
  });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-ERROR_TEXT_MAX);
  });
  let started = true;
  const exit = new Promise<number | null>((resolve) => {
    child.on('error', () => {
      started = child.pid !== undefined;
      resolve(null);
    });
    child.on('close', resolve);
  });
  // It may end before it has read everything.
  child.stdin.on('error', () => undefined);
  const fed = 'bytes' in input ? feed(child.stdin, input.bytes) : Promise.resolve(child.stdin.end());
  let stalled = false;
  const arm = (): NodeJS.Timeout =>
    setTimeout(() => {
      stalled = true;
      child.kill('SIGKILL');
    }, STALL_MS);
  // A live stream may pause, and a reader may take its time.
  let watch = 'path' in input ? arm() : undefined;
  const reader = new PcmReader(SAMPLE_RATE, 1);
  let samples = 0;
  try {
    for await (const bytes of child.stdout) {
      const piece = reader.push(bytes);
      samples += piece.length;
      clearTimeout(watch);
      if (piece.length > 0) yield piece;
      watch = watch && arm();
    }
    const code = await exit;
    if (signal?.aborted === true) throw new EngineError('aborted', 'The decoding was cancelled.');
    if (!started)
      throw new EngineError('unsupported_format', 'ffmpeg, which this format needs, cannot be started on this server.');
    // What a damaged file gave before its damage is kept.
    if (code !== 0 && samples === 0)
      throw new EngineError(
        'invalid_audio',
        stalled ? 'The audio cannot be decoded: ffmpeg makes no progress.' : meaningOf(complaint),
      );
  } catch (error) {
    throw signal?.aborted === true ? new EngineError('aborted', 'The decoding was cancelled.') : error;
  } finally {
    clearTimeout(watch);
    child.kill('SIGKILL');
    fed.catch(() => undefined);
  }
}

function argumentsFor(input: Input, format: AudioFormat, maxSeconds: number | undefined): string[] {
  const live = 'bytes' in input;
  return [
    '-nostdin',
    '-hide_banner',
    '-loglevel',
    'error',
    '-threads',
    '1',
    '-max_alloc',
    String(BLOCK_BYTES_MAX),
    ...(live ? ['-probesize', '2048', '-analyzeduration', '0'] : ['-timelimit', String(CPU_SECONDS_MAX)]),
    '-protocol_whitelist',
    live ? 'pipe' : 'file,pipe',
    '-f',
    DEMUXERS[format] ?? format,
    '-i',
    live ? 'pipe:0' : `file:${input.path}`,
    // One second more than allowed shows that there is more.
    ...(maxSeconds === undefined ? [] : ['-t', String(maxSeconds + 1)]),
    '-map',
    '0:a:0',
    '-vn',
    '-sn',
    '-dn',
    ...(live ? ['-flush_packets', '1'] : []),
    '-f',
    's16le',
    '-ac',
    '1',
    '-ar',
    String(SAMPLE_RATE),
    'pipe:1',
  ];
}

async function feed(stdin: Writable, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of bytes) {
    if (stdin.destroyed) return;
    if (!stdin.write(piece)) await Promise.race([once(stdin, 'drain'), once(stdin, 'close')]);
  }
  stdin.end();
}

function meaningOf(complaint: string): string {
  return COMPLAINTS.find(([pattern]) => pattern.test(complaint))?.[1] ?? 'The audio is damaged and cannot be decoded.';
}
