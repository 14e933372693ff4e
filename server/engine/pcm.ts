import { Mixer } from './mixer.ts';
import { SAMPLE_RATE } from './port.ts';
import { Resampler } from './resample.ts';

/** Converts a byte stream of interleaved s16le to 16 kHz mono. Pieces may be cut inside a frame. */
export class PcmReader {
  readonly #channels: number;
  readonly #mixer: Mixer;
  readonly #resampler: Resampler;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(sampleRate: number, channels: number) {
    this.#channels = channels;
    this.#mixer = new Mixer(sampleRate);
    this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
  }

  push(bytes: Uint8Array): Float32Array {
    const data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const frameBytes = 2 * this.#channels;
    const frames = Math.floor(data.length / frameBytes);
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    const channels = Array.from({ length: this.#channels }, (_, channel) => {
      const samples = new Float32Array(frames);
      for (let frame = 0; frame < frames; frame += 1)
        samples[frame] = view.getInt16(frame * frameBytes + channel * 2, true) / 32_768;
      return samples;
    });
    this.#rest = data.slice(frames * frameBytes);
    return this.#resampler.push(this.#mixer.mix(channels));
  }

  /** Returns the samples that the resampler still holds; drops an incomplete frame. */
  flush(): Float32Array {
    return this.#resampler.flush();
  }
}
