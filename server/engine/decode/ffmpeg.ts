import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { Writable } from 'node:stream';
import type { AudioFormat } from './audio-format.ts';
import { decodeInThread, type Following } from './thread.ts';
import { EngineError, SAMPLE_RATE } from '../port.ts';

/** ffmpeg's reader for each known format. It is told, not guessed: other readers open further files that the first one names. */
const DEMUXERS: Partial<Record<AudioFormat, string>> = {
  'ogg-vorbis': 'ogg',
  'ogg-opus': 'ogg',
  'ogg-flac': 'ogg',
  mp4: 'mov',
  rf64: 'wav',
};

/**
 * What it may take an unknown file for: recordings, and videos with their sound, all of whose bytes are in the one file. Playlists, lists of
 * files, pictures, subtitles, devices and what has no mark of its own are not among them. The file comes through a pipe, and no other
 * protocol is allowed: so there is nothing else to open, whatever it names.
 */
const GUESSED = [
  'ac3,adx,amr,ape,au,avi,dsf,dss,dts,dtshd,dv,eac3,flv,gsm,gxf,iff,ircam,loas,mpc,mpc8,mpeg,mpegts,mxf,nistsphere,nut,oma,pvf,qcp,rm',
  'sox,tak,truehd,tta,voc,wav,wv,xwma',
].join(',');

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

/**
 * Where ffmpeg reads from: a file, of AAC from the start of its first frame on, or the bytes of a file from a start to an end, or bytes:
 * those of a whole file, or live as they come, of the audio tracks with these numbers.
 */
export type Input =
  | { path: string; start?: number; end?: number }
  | { bytes: AsyncIterable<Uint8Array>; tracks?: readonly number[] | 'all' };

/** A hole of up to an hour is none that is closed, as in a decoder of ours. */
const HOLE_SECONDS_MAX = 3600;
/** Each packet is given once two more of its track have come, and no track waits for another: `timeline.ts` does. */
const AT_ONCE = ['-flush_packets', '1', '-live', '1', '-cluster_time_limit', '0', '-max_interleave_delta', '1'];

const isLive = (input: Input): boolean => 'tracks' in input && input.tracks !== undefined;

/**
 * Decodes through ffmpeg as 16 kHz mono: all audio tracks of a file at their times, or the one with this number. Leaving the loop
 * early ends the process.
 * @param track what is left out of others it does not tell
 * @throws EngineError, 'invalid_audio' only where it gave nothing, its cause what ffmpeg wrote
 */
export async function* decodeWithFfmpeg(
  ffmpeg: string,
  input: Input,
  format: AudioFormat,
  { signal, onNotes }: Following = {},
  track: number | null = null,
): AsyncGenerator<Float32Array> {
  const child = spawn(ffmpeg, argumentsFor(input, format, track), {
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
  // Without a listener, what it writes before the first read would be lost at its end.
  child.stdout.on('readable', () => undefined);
  // It may end before it has read everything.
  child.stdin.on('error', () => undefined);
  let lost: unknown;
  const lose = (error: unknown): void => {
    lost = error;
    child.kill('SIGKILL');
  };
  if ('bytes' in input) feed(child.stdin, input.bytes).catch(lose);
  else child.stdin.end();
  let stalled = false;
  const arm = (): NodeJS.Timeout =>
    setTimeout(() => {
      stalled = true;
      child.kill('SIGKILL');
    }, STALL_MS);
  // A live stream may pause, and a reader may take its time.
  let watch = isLive(input) ? undefined : arm();
  let isEmpty = true;
  let isHeard = false;
  async function* output(): AsyncGenerator<Uint8Array> {
    for await (const bytes of child.stdout) {
      clearTimeout(watch);
      isEmpty = false;
      yield bytes;
      watch = watch && arm();
    }
  }
  let failure: unknown;
  try {
    try {
      for await (const piece of decodeInThread(output(), 'matroska', { signal, onNotes, isLive: isLive(input) })) {
        isHeard = true;
        yield piece;
      }
    } catch (error) {
      failure = error;
      child.kill('SIGKILL');
      // What is not read any more would keep it from its end.
      child.stdout.destroy();
    }
    const code = await exit;
    if (signal?.aborted === true) throw new EngineError('aborted', 'The decoding was cancelled.');
    if (lost !== undefined) throw lost;
    if (!started)
      throw new EngineError('unsupported_format', 'ffmpeg, which this format needs, cannot be started on this server.');
    if (failure instanceof EngineError && failure.code !== 'invalid_audio') throw failure;
    // What a damaged file gave before its damage is kept.
    if (!isHeard && (code !== 0 || (failure !== undefined && !isEmpty)))
      throw new EngineError(
        'invalid_audio',
        stalled ? 'The audio cannot be decoded: ffmpeg makes no progress.' : meaningOf(complaint),
        { cause: complaint },
      );
  } finally {
    clearTimeout(watch);
    child.kill('SIGKILL');
    child.stdout.destroy();
  }
}

function argumentsFor(input: Input, format: AudioFormat, track: number | null): string[] {
  const live = isLive(input);
  const { protocols, url, skipped = [] } = sourceOf(input, format);
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
    protocols,
    ...(format === 'other' ? ['-format_whitelist', GUESSED] : ['-f', DEMUXERS[format] ?? format]),
    ...skipped,
    '-i',
    url,
    ...mapsOf(input, track).flatMap((map) => ['-map', map]),
    '-vn',
    '-sn',
    '-dn',
    // The times as the file has them, also where its sound begins late; those of broadcasts begin anywhere.
    ...(format === 'other' ? ['-dts_delta_threshold', String(HOLE_SECONDS_MAX)] : ['-copyts']),
    '-c:a',
    'pcm_s16le',
    '-ar',
    String(SAMPLE_RATE),
    ...(live ? AT_ONCE : []),
    '-f',
    'matroska',
    'pipe:1',
  ];
}

/** What ffmpeg opens, and the protocols that takes. The path is behind all options: it may hold anything. */
function sourceOf(input: Input, format: AudioFormat): { protocols: string; url: string; skipped?: string[] } {
  if ('bytes' in input) return { protocols: 'pipe', url: 'pipe:0' };
  const { path, start = 0, end } = input;
  const url = `file:${path}`;
  if (end !== undefined) return { protocols: 'file,pipe,subfile', url: `subfile,,start,${start},end,${end},,:${url}` };
  return { protocols: 'file,pipe', url, ...(format === 'aac' && { skipped: ['-skip_initial_bytes', String(start)] }) };
}

/** The tracks to be decoded, as ffmpeg names them. */
function mapsOf(input: Input, track: number | null): string[] {
  if (track !== null) return [`0:a:${track}`];
  const tracks = 'tracks' in input ? (input.tracks ?? 'all') : 'all';
  return tracks === 'all' ? ['0:a'] : tracks.map((number) => `0:a:${number}`);
}

/** Rejects with the failure of the bytes only: ffmpeg may end before it has read everything. */
async function feed(stdin: Writable, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of bytes) {
    if (stdin.destroyed) return;
    if (!stdin.write(piece)) await drained(stdin);
  }
  stdin.end();
}

function meaningOf(complaint: string): string {
  return COMPLAINTS.find(([pattern]) => pattern.test(complaint))?.[1] ?? 'The audio is damaged and cannot be decoded.';
}

/** Waits until a stream takes more, or is closed. */
async function drained(stream: Writable): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  // An error closes it, and is told by who listens to it.
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() => undefined);
  waiting.abort();
}
