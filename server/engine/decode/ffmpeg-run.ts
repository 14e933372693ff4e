import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { AudioFormat } from './audio-format.ts';
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

/**
 * Where ffmpeg reads from: a file, or its bytes from a start to an end; or bytes: those of a whole one, or live as they come, of the audio
 * tracks with these numbers.
 */
export type Input =
  /** Whether it is a later part of a recording, whose first sound is its beginning. */
  { isLater?: boolean } & (
    | { path: string; start?: number; end?: number }
    | { bytes: AsyncIterable<Uint8Array>; tracks?: readonly number[] | 'all' }
  );

/** A hole of up to an hour is none that is closed, as in a decoder of ours. */
const HOLE_SECONDS_MAX = 3600;
/** With any offset, the sound of a video begins where the video says, and not at its own first time; this one is less than a sample. */
const OFFSET_SECONDS = '0.00001';
/** Each packet is given once two more of its track have come, and no track waits for another: `timeline.ts` does. */
const AT_ONCE = ['-flush_packets', '1', '-live', '1', '-cluster_time_limit', '0', '-max_interleave_delta', '1'];

export const isLive = (input: Input): boolean => 'tracks' in input && input.tracks !== undefined;

interface Options {
  signal?: AbortSignal | undefined;
  /** The audio track with this number, of a file. */
  track?: number | null;
  /** Whether it is ended when it gives nothing for long: its input has no pauses. */
  isWatched?: boolean;
}

/** An ffmpeg that runs. */
interface Run {
  /** Matroska with PCM at 16 kHz. */
  output: AsyncIterable<Uint8Array>;
  /** Whether it has given nothing so far. */
  isEmpty(): boolean;
  /**
   * Waits for its end; tells whether all went well, and what its complaint means, whose cause is what it wrote.
   * @throws EngineError where it was cancelled or cannot be started, and what its bytes throw
   */
  end(): Promise<{ isWell: boolean; refusal: EngineError }>;
  stop(): void;
}

/** Starts ffmpeg, which decodes all audio tracks at their times, or one. */
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
  let watch = isWatched ? arm() : undefined;
  let isEmpty = true;
  async function* output(): AsyncGenerator<Uint8Array> {
    for await (const bytes of child.stdout) {
      clearTimeout(watch);
      isEmpty = false;
      yield bytes;
      // A reader may take its time.
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
      // What is not read any more would keep it from its end.
      child.stdout.destroy();
    },
  };
}

/** Decodes bytes of AAC through an ffmpeg of their own; ending the reading ends it. @throws EngineError where ffmpeg fails, also behind sound */
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
    // The times as the file has them, also where its sound begins late; those of broadcasts begin anywhere.
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

/** What ffmpeg opens, and the protocols that takes. The path is behind all options: it may hold anything. */
function sourceOf(input: Input): { protocols: string; url: string } {
  if ('bytes' in input) return { protocols: 'pipe', url: 'pipe:0' };
  const { path, start = 0, end } = input;
  const url = `file:${path}`;
  return end === undefined
    ? { protocols: 'file,pipe', url }
    : { protocols: 'file,pipe,subfile', url: `subfile,,start,${start},end,${end},,:${url}` };
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
