import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import {
  ID3_HEADER_BYTES,
  SNIFF_BYTES,
  formatName,
  id3Bytes,
  isBuiltIn,
  sniffFormat,
  videoOf,
} from './audio-format.ts';
import type { AudioFormat } from './audio-format.ts';
import { needsFfmpeg, notARecording, searchFrames, unknownAudio } from './codec.ts';
import { declaredLength } from './declared-length.ts';
import { ByteReader } from './bytes.ts';
import { decodeWithFfmpeg, findFfmpeg } from './ffmpeg.ts';
import type { Input } from './ffmpeg-run.ts';
import {
  TAGS_MAX,
  hidesAtEnd,
  identifyLater,
  identifyMp4,
  readAt,
  type Identified,
  type Recording,
} from './identified.ts';
import { ownBytes } from './joins.ts';
import { mp4Bytes } from './mp4-parts.ts';
import { withMore } from './notes.ts';
import { FRAMES_WITHIN_BYTES, FRAMES_WITHIN_FILE_BYTES } from './mpeg-frames.ts';
import { decodeParts, type DecodePart } from './parts.ts';
import { openStreamDecoder } from './stream.ts';
import { decodeInThread, type Following } from './thread.ts';
import { EngineError, SAMPLE_RATE } from '../port.ts';
import type { AudioDecoder, RecordingNote } from '../port.ts';

/** The largest file of the speech API. */
const FILE_BYTES_MAX = 2 ** 30;
const READ_BYTES = 1 << 16;
/** A codec's delay and padding are counted by some containers: what is longer by so little is left to the decoder to measure. */
const DECLARED_SLACK_SECONDS = 1;
const SAMPLES_ONLY: ReadonlySet<AudioFormat> = new Set(['wav', 'rf64', 'w64', 'aiff', 'caf', 'au']);

/** Tells what a file is by its content. @param isQuick whether the index of an MP4, which may be large, is left alone @throws EngineError */
async function identify(path: string, isQuick = false): Promise<Identified> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size === 0) throw new EngineError('invalid_audio', 'The file is empty.');
    if (size > FILE_BYTES_MAX) throw new EngineError('audio_too_long', 'The file is larger than 1 GiB.');
    const { start, tag } = await afterTags(file);
    const head = await readAt(file, start);
    const format = sniffFormat(head);
    // Zeros may be padding behind a tag, or the inside of a silent frame where the tag is broken.
    const isClear = format !== null && (tag === null || head[0] !== 0);
    const searched = isClear ? null : await framesIn(file, tag, start);
    const found = searched ?? (format === null ? null : { format, start });
    if (found === null) return await leftToFfmpeg(await readAt(file, start, FRAMES_WITHIN_BYTES));
    if (found.format === 'mp4' && !isQuick) return await identifyMp4(file, found.start);
    return {
      ...found,
      name: formatName(found.format),
      sounds: null,
      declared: await declaredLength(file, found.format, found.start),
      refusal: null,
      later: [],
    };
  } finally {
    await file.close();
  }
}

/** Videos, and what looks like nothing known; ffmpeg may know it, where there is one. @throws EngineError for all else */
async function leftToFfmpeg(head: Uint8Array): Promise<Identified> {
  const video = videoOf(head.subarray(0, SNIFF_BYTES));
  const unknown = unknownAudio('file', head);
  if (video === null && notARecording('file', head) !== null) throw unknown;
  if ((await findFfmpeg()) === undefined)
    throw video === null ? unknown : needsFfmpeg(video.replace(/^a/, (letter) => letter.toUpperCase()));
  const name = video ?? formatName('other');
  return {
    format: 'other',
    start: 0,
    name,
    declared: null,
    sounds: null,
    refusal: video === null ? unknown : null,
    later: [],
  };
}

/** Where the tags at the start end, and where the last of them begins. @throws EngineError */
async function afterTags(file: FileHandle): Promise<{ start: number; tag: number | null }> {
  let start = 0;
  let tag: number | null = null;
  for (let tags = 0; tags < TAGS_MAX; tags += 1) {
    const tagBytes = id3Bytes(await readAt(file, start, ID3_HEADER_BYTES));
    if (tagBytes === 0) return { start, tag };
    tag = start;
    start += tagBytes;
  }
  throw new EngineError('invalid_audio', 'The file holds nothing but tags.');
}

/** The first frame behind what is no audio. A tag that ends at no audio may be broken, and have ended before. */
async function framesIn(
  file: FileHandle,
  tag: number | null,
  start: number,
): Promise<Pick<Identified, 'format' | 'start'> | null> {
  for (const from of tag === null ? [start] : [tag + ID3_HEADER_BYTES, start]) {
    const found = searchFrames(await readAt(file, from, FRAMES_WITHIN_FILE_BYTES));
    if (found !== null) return { format: found.format, start: from + found.at };
  }
  return null;
}

async function* fileBytes(path: string, start: number, end = Infinity): AsyncGenerator<Uint8Array> {
  const file = await open(path);
  try {
    for (let position = start; ;) {
      const length = Math.min(READ_BYTES, end - position);
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function* decodeBuiltIn(
  path: string,
  { format, start }: Recording,
  options: Following,
): AsyncGenerator<Float32Array> {
  if (!isBuiltIn(format)) return;
  const bytes = fileBytes(path, start);
  try {
    yield* decodeInThread(bytes, format, options);
  } finally {
    await bytes.return(undefined);
  }
}

/** The bytes of an MP4, as ffmpeg hears all of it. */
async function* steadyMp4(path: string, { start, end }: Recording): AsyncGenerator<Uint8Array> {
  const bytes = fileBytes(path, start, end);
  try {
    yield* mp4Bytes(new ByteReader(bytes));
  } finally {
    await bytes.return(undefined);
  }
}

function inputOf(path: string, recording: Recording): Input {
  const { format, start, end, isMended, isLater = false } = recording;
  if (isMended === true) return { bytes: steadyMp4(path, recording), isLater };
  if (format === 'other') return { bytes: fileBytes(path, start, end), isLater };
  return { path, start, ...(end !== undefined && { end }), isLater };
}

/** Whether damage can hide the audio from a decoder; samples one after the other are always some sound. */
const hasFrames = (format: AudioFormat): boolean => !SAMPLES_ONLY.has(format);

/** Each of the recordings joined in a file that are decoded one by one. */
function* partsOf(path: string, identified: Identified, ffmpeg: string | undefined): Generator<DecodePart | null> {
  for (const recording of [identified, ...identified.later])
    yield recording && ((options) => pieces(path, recording, ffmpeg, options, identified.name));
}

/** With a decoder of ours where there is one, else, or when that one does not know the codec inside, with ffmpeg. @param name of the format, for who has no ffmpeg */
async function* pieces(
  path: string,
  recording: Recording,
  ffmpeg: string | undefined,
  options: Following,
  name: string,
): AsyncGenerator<Float32Array> {
  const { format } = recording;
  if (isBuiltIn(format)) {
    try {
      return yield* decodeBuiltIn(path, recording, { ...options, ffmpeg });
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'unsupported_format') throw error;
      if (ffmpeg === undefined) throw error;
    }
  }
  if (ffmpeg === undefined) throw needsFfmpeg(name);
  // An MP4 knows where it ends.
  if (format === 'mp4') yield* throughFfmpeg(path, recording, ffmpeg, options);
  else yield* decodeParts(markedParts(path, recording, ffmpeg), options);
}

/** A recording that ffmpeg decodes, and those with a mark of their own that were joined to it. */
async function* markedParts(path: string, recording: Recording, ffmpeg: string): AsyncGenerator<DecodePart | null> {
  const { end = recording.end, isHidden, later } = await joinedTo(path, recording);
  yield (options) => throughFfmpeg(path, { ...recording, end }, ffmpeg, options);
  if (isHidden) yield null;
  if (later === null) yield null;
  else if (later !== undefined) yield* partsOf(path, later, ffmpeg);
}

interface Joined {
  /** Where another recording begins; undefined where none does. */
  end?: number;
  /** Whether one without a mark is before it. */
  isHidden: boolean;
  /** What begins there; null where it cannot be heard. */
  later?: Identified | null;
}

async function joinedTo(path: string, { start, format }: Recording): Promise<Joined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const end = await endOf(path, start, format);
    const isHidden = await hidesAtEnd(file, { format, start }, end);
    return end < size ? { end, isHidden, later: await identifyLater(file, end) } : { isHidden };
  } finally {
    await file.close();
  }
}

/** Where another recording begins, or the file ends. */
async function endOf(path: string, start: number, format: AudioFormat): Promise<number> {
  const pieces = fileBytes(path, start);
  let end = start;
  try {
    for await (const { length } of ownBytes(new ByteReader(pieces), format)) end += length;
    return end;
  } finally {
    await pieces.return(undefined);
  }
}

async function* throughFfmpeg(
  path: string,
  recording: Recording,
  ffmpeg: string,
  options: Following,
): AsyncGenerator<Float32Array> {
  const { format, sounds, refusal } = recording;
  let failure: EngineError | null = null;
  // One track that cannot be decoded keeps ffmpeg from all others.
  for (const track of sounds === 1 ? [null] : [null, 0, 1, 2].slice(0, 1 + (sounds ?? 3))) {
    const others = track === null ? 0 : (sounds ?? 2) - 1;
    const onNotes = (notes: readonly RecordingNote[]): void =>
      options.onNotes?.(withMore(notes, 'tracks_left_out', others));
    try {
      return yield* decodeWithFfmpeg(ffmpeg, inputOf(path, recording), format, { ...options, onNotes }, track);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'invalid_audio') throw error;
      failure ??= refusal ?? error;
      // It names the stream that fails, where it can read the file.
      if (!/#0:\d/.test(String(error.cause))) break;
    }
  }
  if (failure !== null) throw failure;
}

/**
 * Decodes uploads: WAV, AIFF, AU, CAF, MP3, FLAC, Ogg, WebM and AMR by built-in decoders in a thread, which gives the frames of AAC to ffmpeg;
 * MP4, Windows Media, codecs inside the others that are not built in, and files of no known format through ffmpeg, where it is installed. A file that was cut
 * short gives the audio it holds.
 */
export function createAudioDecoder(): AudioDecoder {
  return {
    openStream: openStreamDecoder,
    declaredSeconds: async (path) => (await identify(path, true)).declared,
    async *decode(path, { maxSeconds, signal, onLength, onNotes }) {
      if (signal?.aborted === true) throw new EngineError('aborted', 'The decoding was cancelled.');
      const identified = await identify(path);
      const tooLong = (): EngineError =>
        new EngineError('audio_too_long', `The audio is longer than ${maxSeconds} seconds.`);
      if (identified.declared !== null && identified.declared > maxSeconds + DECLARED_SLACK_SECONDS) throw tooLong();
      if (identified.declared !== null) await onLength?.(identified.declared);
      let samples = 0;
      const parts = partsOf(path, identified, await findFfmpeg());
      for await (const piece of decodeParts(parts, { signal, onNotes })) {
        samples += piece.length;
        if (samples > maxSeconds * SAMPLE_RATE) throw tooLong();
        yield piece;
      }
      const { name, format, refusal } = identified;
      if (samples === 0)
        throw (
          refusal ??
          new EngineError(
            'invalid_audio',
            `The file (${name}) holds no audio${hasFrames(format) ? ', or only damaged audio' : ''}.`,
          )
        );
    },
  };
}
