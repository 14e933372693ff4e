import { open, type FileHandle } from 'node:fs/promises';
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
  fileBytes,
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
import { decodeInThread, type RecordingOptions } from './thread.ts';
import { EngineError, SAMPLE_RATE, type AudioDecoder, type RecordingNote } from '../port.ts';

/** The largest file of the speech API. */
const FILE_BYTES_MAX = 2 ** 30;
/** Some containers count a codec's delay and padding, so only a declared length past this slack is refused outright. */
const DECLARED_SLACK_SECONDS = 1;
const SAMPLES_ONLY: ReadonlySet<AudioFormat> = new Set(['wav', 'rf64', 'w64', 'aiff', 'caf', 'au']);

/**
 * Identifies a file by its content.
 * @param isQuick skips the index of an MP4, which may be large
 * @throws EngineError
 */
async function identify(path: string, isQuick = false): Promise<Identified> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size === 0) throw new EngineError('invalid_audio', 'The file is empty.');
    if (size > FILE_BYTES_MAX) throw new EngineError('audio_too_long', 'The file is larger than 1 GiB.');
    const { start, tag } = await afterTags(file);
    const head = await readAt(file, start);
    const format = sniffFormat(head);
    // Zeros may be padding behind a tag or, if the tag is broken, part of a silent frame.
    const isClear = format !== null && (tag === null || head[0] !== 0);
    const searched = isClear ? null : await framesIn(file, tag, start);
    const found = searched ?? (format === null ? null : { format, start });
    if (found === null) return await onlyForFfmpeg(await readAt(file, start, FRAMES_WITHIN_BYTES));
    if (found.format === 'mp4' && !isQuick) return await identifyMp4(file, found.start);
    return {
      ...found,
      name: formatName(found.format),
      trackCount: null,
      declared: await declaredLength(file, found.format, found.start),
      refusal: null,
      later: [],
    };
  } finally {
    await file.close();
  }
}

/**
 * Identifies a video or a file of unknown format, which ffmpeg may decode.
 * @throws EngineError if the file is known not to be audio, or no ffmpeg is installed
 */
async function onlyForFfmpeg(head: Uint8Array): Promise<Identified> {
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
    trackCount: null,
    refusal: video === null ? unknown : null,
    later: [],
  };
}

/** Skips the tags at the start. Returns where they end, and where the last tag begins. @throws EngineError */
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

/**
 * Finds the first frame behind `start`. If no audio follows a tag, its size may be wrong: looks inside the tag first.
 */
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

async function* decodeBuiltIn(
  path: string,
  { format, start }: Recording,
  options: RecordingOptions,
): AsyncGenerator<Float32Array> {
  if (!isBuiltIn(format)) return;
  const bytes = fileBytes(path, start);
  try {
    yield* decodeInThread(bytes, format, options);
  } finally {
    await bytes.return(undefined);
  }
}

/** The bytes of an MP4, repaired so that ffmpeg decodes all of it. */
async function* repairedMp4(path: string, { start, end }: Recording): AsyncGenerator<Uint8Array> {
  const bytes = fileBytes(path, start, end);
  try {
    yield* mp4Bytes(new ByteReader(bytes));
  } finally {
    await bytes.return(undefined);
  }
}

function inputOf(path: string, recording: Recording): Input {
  const { format, start, end, needsRepair, isLater = false } = recording;
  if (needsRepair === true) return { bytes: repairedMp4(path, recording), isLater };
  if (format === 'other') return { bytes: fileBytes(path, start, end), isLater };
  return { path, start, ...(end !== undefined && { end }), isLater };
}

/** Whether damage can leave a decoder without audio. Plain samples always decode to something. */
const hasFrames = (format: AudioFormat): boolean => !SAMPLES_ONLY.has(format);

/** Yields the decoder of each recording joined in a file; null for one that cannot be decoded. */
function* partsOf(path: string, identified: Identified, ffmpeg: string | undefined): Generator<DecodePart | null> {
  for (const recording of [identified, ...identified.later])
    yield recording && ((options) => pieces(path, recording, ffmpeg, options, identified.name));
}

/**
 * Decodes a recording with the built-in decoder. Falls back to ffmpeg if there is none, or if it does not know the
 * codec.
 * @param name the format's name, for the error without ffmpeg
 */
async function* pieces(
  path: string,
  recording: Recording,
  ffmpeg: string | undefined,
  options: RecordingOptions,
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
  // The end of an MP4 is known already.
  if (format === 'mp4') yield* throughFfmpeg(path, recording, ffmpeg, options);
  else yield* decodeParts(markedParts(path, recording, ffmpeg), options);
}

/** Yields a recording that ffmpeg decodes, then each joined recording that begins with a mark. */
async function* markedParts(path: string, recording: Recording, ffmpeg: string): AsyncGenerator<DecodePart | null> {
  const { end = recording.end, isHidden, later } = await joinedTo(path, recording);
  yield (options) => throughFfmpeg(path, { ...recording, end }, ffmpeg, options);
  if (isHidden) yield null;
  if (later === null) yield null;
  else if (later !== undefined) yield* partsOf(path, later, ffmpeg);
}

/** How a file goes on after one of its recordings. */
interface Continuation {
  /** Where the next recording begins; undefined if there is none. */
  end?: number;
  /** Whether a recording of bare frames hides before that. */
  isHidden: boolean;
  /** The next recording; null if it cannot be decoded. */
  later?: Identified | null;
}

async function joinedTo(path: string, { start, format }: Recording): Promise<Continuation> {
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

/** Where the next recording begins, else the end of the file. */
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
  options: RecordingOptions,
): AsyncGenerator<Float32Array> {
  const { format, trackCount, refusal } = recording;
  let failure: EngineError | null = null;
  // ffmpeg decodes no track at all if it cannot decode one, so try the first few tracks alone.
  for (const track of trackCount === 1 ? [null] : [null, 0, 1, 2].slice(0, 1 + (trackCount ?? 3))) {
    const others = track === null ? 0 : (trackCount ?? 2) - 1;
    const onNotes = (notes: readonly RecordingNote[]): void =>
      options.onNotes?.(withMore(notes, 'tracks_left_out', others));
    try {
      return yield* decodeWithFfmpeg(ffmpeg, inputOf(path, recording), format, { ...options, onNotes }, track);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'invalid_audio') throw error;
      failure ??= refusal ?? error;
      // ffmpeg names the failing stream (#0:n) only if it can read the file.
      if (!/#0:\d/.test(String(error.cause))) break;
    }
  }
  if (failure !== null) throw failure;
}

/**
 * Decodes uploads. Built-in decoders in a thread read WAV, AIFF, AU, CAF, MP3, FLAC, Ogg, WebM and AMR, and split AAC
 * into frames for ffmpeg. ffmpeg, if installed, decodes MP4, Windows Media, unknown formats, and codecs that are not
 * built in. A file that was cut short gives the audio it holds.
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
