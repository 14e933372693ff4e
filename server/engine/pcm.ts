import { SAMPLE_RATE } from './port.ts';
import { Resampler } from './resample.ts';

/** Mean of the channels. */
export function mixDown(channels: readonly Float32Array[]): Float32Array {
  const [first, ...others] = channels;
  if (first === undefined) return new Float32Array(0);
  if (others.length === 0) return first;
  return first.map(
    (sample, index) => others.reduce((sum, channel) => sum + (channel[index] ?? 0), sample) / channels.length,
  );
}

/** Reads a byte stream of interleaved s16le as 16 kHz mono. A frame cut by the end of a piece is completed by the next one. */
export class PcmReader {
  readonly #channels: number;
  readonly #resampler: Resampler;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(sampleRate: number, channels: number) {
    this.#channels = channels;
    this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
  }

  push(bytes: Uint8Array): Float32Array {
    const data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const frameBytes = 2 * this.#channels;
    const frames = Math.floor(data.length / frameBytes);
    const view = new DataView(data.buffer, data.byteOffset, data.length);
    const mono = new Float32Array(frames);
    for (let frame = 0; frame < frames; frame += 1) {
      let sum = 0;
      for (let channel = 0; channel < this.#channels; channel += 1)
        sum += view.getInt16(frame * frameBytes + channel * 2, true);
      mono[frame] = sum / this.#channels / 32_768;
    }
    this.#rest = data.slice(frames * frameBytes);
    return this.#resampler.push(mono);
  }

  /** What the resampler still holds; an incomplete frame is dropped. */
  flush(): Float32Array {
    return this.#resampler.flush();
  }
}
