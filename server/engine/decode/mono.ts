import type { BuiltInFormat } from './audio-format.ts';
import { ByteReader } from './bytes.ts';
import { loadDecoder } from './decoders.ts';
import type { PcmBlock } from './codec.ts';
import { checkShape, clipped } from './pcm.ts';
import { mixDown } from '../pcm.ts';
import { EngineError, SAMPLE_RATE } from '../port.ts';
import { Resampler } from '../resample.ts';

/** Samples of all channels before they are mixed: 300 minutes of eight channels at 48 kHz. More is made to waste time. */
const UNPACKED_MAX = 300 * 60 * 48_000 * 8;

/**
 * Decodes audio of a built-in format as pieces of 16 kHz mono.
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
        yield piece;
      }
    }
  } catch (error) {
    if (error instanceof EngineError && (error.code !== 'invalid_audio' || !given)) throw error;
    if (!given) throw new EngineError('invalid_audio', 'The audio is damaged and cannot be decoded.', { cause: error });
  }
  yield* output.end();
}

/** Mixes to mono and resamples; the rate may change inside a file that was joined from others. */
class MonoOutput {
  #resampler: Resampler | undefined;
  #rate = 0;
  #unpacked = 0;

  *add({ channelData, sampleRate }: PcmBlock): Generator<Float32Array> {
    const frames = channelData[0]?.length ?? 0;
    if (frames === 0) return;
    checkShape(sampleRate, channelData.length);
    this.#unpacked += frames * channelData.length;
    if (this.#unpacked > UNPACKED_MAX)
      throw new EngineError('audio_too_long', 'The audio unpacks to more than this server takes.');
    if (this.#resampler === undefined || this.#rate !== sampleRate) {
      yield* this.end();
      this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
      this.#rate = sampleRate;
    }
    yield* some(this.#resampler.push(mixDown(channelData)));
  }

  *end(): Generator<Float32Array> {
    if (this.#resampler !== undefined) yield* some(this.#resampler.flush());
    this.#resampler = undefined;
  }
}

/** Damaged audio can decode to anything, also to no numbers. */
function* some(samples: Float32Array): Generator<Float32Array> {
  for (let index = 0; index < samples.length; index += 1) {
    const value = samples[index] ?? 0;
    if (!(value >= -1 && value <= 1)) samples[index] = clipped(value);
  }
  if (samples.length > 0) yield samples;
}
