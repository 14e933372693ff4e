import type { BuiltInFormat } from './audio-format.ts';
import { ByteReader } from './bytes.ts';
import { loadDecoder } from './decoders.ts';
import type { PlacedBlock } from './codec.ts';
import { checkShape, clipped } from './pcm.ts';
import { Timeline } from './timeline.ts';
import { Clock, TrackOutput } from './track-output.ts';
import { EngineError } from '../port.ts';

/** Samples of all channels before they are mixed: 300 minutes of eight channels at 48 kHz. More is made to waste time. */
const UNPACKED_MAX = 300 * 60 * 48_000 * 8;

/**
 * Decodes audio of a built-in format as pieces of 16 kHz mono, each sound where the time stamps of its container say.
 * Where a decoder gives up in the middle of damaged audio, what it gave before is kept.
 * @throws EngineError
 */
export async function* decodeMono(
  source: AsyncIterable<Uint8Array>,
  format: BuiltInFormat,
): AsyncGenerator<Float32Array> {
  const decode = await loadDecoder(format);
  const output = new MonoOutput();
  let given = false;
  try {
    for await (const block of decode(new ByteReader(source))) {
      for (const piece of output.add(block)) {
        given = true;
        yield whole(piece);
      }
    }
  } catch (error) {
    if (error instanceof EngineError && (error.code !== 'invalid_audio' || !given)) throw error;
    if (!given) throw new EngineError('invalid_audio', 'The audio is damaged and cannot be decoded.', { cause: error });
  }
  for (const piece of output.end()) yield whole(piece);
}

/** The tracks of a recording, and of those that were joined to it, as one. */
class MonoOutput {
  readonly #timeline = new Timeline();
  readonly #tracks = new Map<number, TrackOutput>();
  #part = 0;
  #clock = new Clock(0);
  #unpacked = 0;

  *add(block: PlacedBlock): Generator<Float32Array> {
    const { channelData, sampleRate, track = 0, part = 0 } = block;
    if (part !== this.#part) {
      yield* this.end();
      this.#part = part;
      this.#clock = new Clock(this.#timeline.end);
    }
    const output = this.#tracks.get(track) ?? new TrackOutput(track, this.#timeline, this.#clock);
    this.#tracks.set(track, output);
    const frames = channelData[0]?.length ?? 0;
    if (frames === 0) return;
    checkShape(sampleRate, channelData.length);
    this.#unpacked += frames * channelData.length;
    if (this.#unpacked > UNPACKED_MAX)
      throw new EngineError('audio_too_long', 'The audio unpacks to more than this server takes.');
    yield* output.add(block);
  }

  *end(): Generator<Float32Array> {
    for (const output of this.#tracks.values()) yield* output.end();
    this.#tracks.clear();
    yield* this.#timeline.rest();
  }
}

/** Damaged audio can decode to anything, also to no numbers. */
function whole(samples: Float32Array): Float32Array {
  for (let index = 0; index < samples.length; index += 1) {
    const value = samples[index] ?? 0;
    if (!(value >= -1 && value <= 1)) samples[index] = clipped(value);
  }
  return samples;
}
