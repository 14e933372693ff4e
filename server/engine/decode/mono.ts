import type { BuiltInFormat } from './audio-format.ts';
import { PART_ERRORS, type PlacedBlock, type ThroughFfmpeg } from './codec.ts';
import { Notes } from './notes.ts';
import { checkShape, clipped } from './pcm.ts';
import { decodeRecordings } from './recordings.ts';
import { AHEAD_SECONDS, Timeline } from './timeline.ts';
import { Clock, TrackOutput } from './track-output.ts';
import { EngineError } from '../port.ts';

/**
 * The largest number of decoded samples of all channels: 300 minutes of eight channels at 48 kHz. More are an attempt
 * to waste time.
 */
const UNPACKED_MAX = 300 * 60 * 48_000 * 8;

/**
 * Decodes audio of a built-in format; yields 16 kHz mono, aligned by the container's time stamps. If a decoder fails in
 * the middle of damaged audio, the sound before the damage is kept.
 * @param notes counts the tracks and parts
 * @param isLive waits only briefly for slower tracks
 * @param through if ffmpeg is installed
 * @throws EngineError
 */
export async function* decodeMono(
  source: AsyncIterable<Uint8Array>,
  format: BuiltInFormat,
  notes = new Notes(),
  isLive = false,
  through?: ThroughFfmpeg,
): AsyncGenerator<Float32Array> {
  const output = new MonoOutput(notes, isLive);
  let given = false;
  try {
    for await (const block of decodeRecordings(source, format, through)) {
      for (const piece of output.add(block)) {
        given = true;
        yield clippedAll(piece);
      }
    }
  } catch (error) {
    if (error instanceof EngineError && !(given && PART_ERRORS.has(error.code))) throw error;
    if (!given) throw new EngineError('invalid_audio', 'The audio is damaged and cannot be decoded.', { cause: error });
    notes.leaveOut('part');
  }
  for (const piece of output.end()) yield clippedAll(piece);
}

/** Turns the blocks of all tracks and parts into one stream of samples. */
class MonoOutput {
  readonly #notes: Notes;
  readonly #timeline: Timeline;
  readonly #tracks = new Map<number, TrackOutput>();
  #part = 0;
  #clock = new Clock(0);
  #unpacked = 0;

  constructor(notes: Notes, isLive: boolean) {
    this.#notes = notes;
    this.#timeline = new Timeline(AHEAD_SECONDS[isLive ? 'live' : 'file']);
  }

  *add(block: PlacedBlock): Generator<Float32Array> {
    const { channelData, sampleRate, track = 0, part = 0, leftOut } = block;
    if (part !== this.#part) {
      yield* this.end();
      this.#part = part;
      this.#notes.begin(part);
      this.#clock = new Clock(this.#timeline.end);
    }
    if (leftOut !== undefined) return this.#notes.leaveOut(leftOut);
    const output = this.#tracks.get(track) ?? new TrackOutput(track, this.#timeline, this.#clock);
    this.#tracks.set(track, output);
    const frames = channelData[0]?.length ?? 0;
    if (frames === 0) return;
    checkShape(sampleRate, channelData.length);
    this.#unpacked += frames * channelData.length;
    if (this.#unpacked > UNPACKED_MAX)
      throw new EngineError('audio_too_long', 'The audio unpacks to more than this server takes.');
    this.#notes.hear(track);
    yield* output.add(block);
  }

  *end(): Generator<Float32Array> {
    for (const output of this.#tracks.values()) {
      yield* output.end();
      this.#notes.cancelled(output.channels, output.cancelledSeconds);
    }
    yield* this.#timeline.rest();
    if (this.#tracks.size > 1) this.#notes.cancelled(this.#tracks.size, this.#timeline.cancelledSeconds);
    this.#tracks.clear();
  }
}

/** Clips samples to [-1, 1] in place: damaged audio can decode to any float, even NaN. */
function clippedAll(samples: Float32Array): Float32Array {
  for (let index = 0; index < samples.length; index += 1) {
    const value = samples[index] ?? 0;
    if (!(value >= -1 && value <= 1)) samples[index] = clipped(value);
  }
  return samples;
}
