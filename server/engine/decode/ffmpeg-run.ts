import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { AudioFormat } from './audio-format.ts';
import { EngineError, SAMPLE_RATE } from '../port.ts';

/**
 * ffmpeg's demuxer for a format whose name differs. ffmpeg never guesses it: some demuxers open files that the input
 * names.
 */
const DEMUXERS: Partial<Record<AudioFormat, string>> = {
  'ogg-vorbis': 'ogg',
  'ogg-opus': 'ogg',
  'ogg-flac': 'ogg',
  mp4: 'mov',
  rf64: 'wav',
};

/**
 * Demuxers among which ffmpeg may guess for an unknown file: recordings and videos that are one file. Excludes
 * playlists, file lists, pictures, subtitles, devices, and formats without a signature. The file comes through a pipe
 * and no other protocol is allowed, so ffmpeg cannot open anything that the file names.
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

/** Patterns of ffmpeg's error output, and what they mean for the sender of the audio. */
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

/**
 * Where ffmpeg reads from: a file, or its bytes from `start` to `end`; or piped bytes. Bytes with `tracks` come live,
 * and only these audio tracks (counted from 0) are decoded.
 */
export type Input =
  /** Whether it is a later part of a recording, which starts at its first sound. */
  { isLater?: boolean } & (
    | { path: string; start?: number; end?: number }
    | { bytes: AsyncIterable<Uint8Array>; tracks?: readonly number[] | 'all' }
  );

/** ffmpeg keeps gaps of up to an hour, as the built-in decoders do. */
const HOLE_SECONDS_MAX = 3600;
/** Any input offset makes ffmpeg keep the time at which a video's sound begins. This one is shorter than a sample. */
const OFFSET_SECONDS = '0.00001';
/**
 * ffmpeg writes a packet once two more of its track have come. No track waits for another: `timeline.ts` aligns them.
 */
const AT_ONCE = ['-flush_packets', '1', '-live', '1', '-cluster_time_limit', '0', '-max_interleave_delta', '1'];

export const isLive = (input: Input): boolean => 'tracks' in input && input.tracks !== undefined;

interface Options {
  signal?: AbortSignal | undefined;
  /** The only audio track to decode, counted from 0; null for all. */
  track?: number | null;
  /** Whether to kill an ffmpeg that gives nothing for {@link STALL_MS}. Not for live input, which may pause. */
  isWatched?: boolean;
}

/** A running ffmpeg. */
interface Run {
  /** Matroska with PCM at 16 kHz. */
  output: AsyncIterable<Uint8Array>;
  /** Whether there was no output so far. */
  isEmpty(): boolean;
  /**
   * Waits for the exit. `refusal` explains a failure; its cause is the error output.
   * @throws EngineError if it was cancelled or cannot be started; and any error of the input bytes
   */
  end(): Promise<{ isWell: boolean; refusal: EngineError }>;
  stop(): void;
}

/** Starts ffmpeg. It decodes all audio tracks with their time stamps, or only `track`. */
export function startFfmpeg(
  ffmpeg: string,
  input: Input,
  format: AudioFormat,
  { signal, track = null, isWatched = false }: Options = {},
): Run {
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
  // Without a listener, output before the first read would be lost when ffmpeg exits.
  child.stdout.on('readable', () => undefined);
  // ffmpeg may exit before it has read everything.
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
  let watch = isWatched ? arm() : undefined;
  let isEmpty = true;
  async function* output(): AsyncGenerator<Uint8Array> {
    for await (const bytes of child.stdout) {
      clearTimeout(watch);
      isEmpty = false;
      yield bytes;
      // The reader's time does not count as a stall.
      watch = watch && arm();
    }
  }
  return {
    output: output(),
    isEmpty: () => isEmpty,
    async end() {
      const code = await exit;
      if (signal?.aborted === true) throw new EngineError('aborted', 'The decoding was cancelled.');
      if (lost !== undefined) throw lost;
      if (!started)
        throw new EngineError(
          'unsupported_format',
          'ffmpeg, which this format needs, cannot be started on this server.',
        );
      const meaning = stalled ? 'The audio cannot be decoded: ffmpeg makes no progress.' : meaningOf(complaint);
      return { isWell: code === 0, refusal: new EngineError('invalid_audio', meaning, { cause: complaint }) };
    },
    stop() {
      clearTimeout(watch);
      child.kill('SIGKILL');
      // Unread output would keep the process from closing.
      child.stdout.destroy();
    },
  };
}

/**
 * Decodes ADTS AAC through an ffmpeg of its own, which ends when the reader stops. Yields Matroska.
 * @throws EngineError if ffmpeg fails, even after some output
 */
export async function* throughFfmpeg(
  ffmpeg: string,
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  isLiveStream: boolean,
): AsyncGenerator<Uint8Array> {
  const run = startFfmpeg(ffmpeg, isLiveStream ? { bytes, tracks: [0] } : { bytes }, 'aac', { signal });
  try {
    yield* run.output;
    const { isWell, refusal } = await run.end();
    if (!isWell) throw refusal;
  } finally {
    run.stop();
  }
}

function argumentsFor(input: Input, format: AudioFormat, track: number | null): string[] {
  const live = isLive(input);
  const { protocols, url } = sourceOf(input);
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
    ...(format === 'other' && input.isLater !== true ? ['-itsoffset', OFFSET_SECONDS] : []),
    '-i',
    url,
    ...mapsOf(input, track).flatMap((map) => ['-map', map]),
    '-vn',
    '-sn',
    '-dn',
    // Keep the file's time stamps, even if its sound begins late. Broadcasts (`other`) begin at any time.
    ...(format === 'other' ? ['-dts_delta_threshold', String(HOLE_SECONDS_MAX)] : ['-copyts']),
    ...(input.isLater === true ? ['-start_at_zero'] : []),
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

/** The URL that ffmpeg opens, and the protocols it needs. The path is last in the URL, because it may hold anything. */
function sourceOf(input: Input): { protocols: string; url: string } {
  if ('bytes' in input) return { protocols: 'pipe', url: 'pipe:0' };
  const { path, start = 0, end } = input;
  const url = `file:${path}`;
  return end === undefined
    ? { protocols: 'file,pipe', url }
    : { protocols: 'file,pipe,subfile', url: `subfile,,start,${start},end,${end},,:${url}` };
}

/** The tracks to decode, in ffmpeg's `-map` syntax. */
function mapsOf(input: Input, track: number | null): string[] {
  if (track !== null) return [`0:a:${track}`];
  const tracks = 'tracks' in input ? (input.tracks ?? 'all') : 'all';
  return tracks === 'all' ? ['0:a'] : tracks.map((number) => `0:a:${number}`);
}

/** Writes bytes to ffmpeg until it closes its input. Rejects only if reading the bytes fails. */
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

/** Waits until a stream drains or closes. */
async function drained(stream: Writable): Promise<void> {
  const waiting = new AbortController();
  const { signal } = waiting;
  // An error closes the stream too; the `error` listener handles it.
  await Promise.race([once(stream, 'drain', { signal }), once(stream, 'close', { signal })]).catch(() => undefined);
  waiting.abort();
}
