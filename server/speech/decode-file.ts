import { open } from 'node:fs/promises';
import type { BuiltInFormat } from './audio-format.ts';
import { openCodec } from './decode-codec.ts';
import type { PcmBlock } from './decode-codec.ts';
import { SAMPLE_RATE } from './moonshine.ts';
import { mixDown } from './pcm.ts';
import { Resampler } from './resample.ts';

/** Compressed audio grows up to fifty times when decoded; this much of it gives a few seconds. */
const READ_COMPRESSED = 1 << 14;
const READ_PLAIN = 1 << 17;

/** Decodes a file of a built-in format as pieces of 16 kHz mono. Throws what its decoder throws. */
export async function* decodeFile(path: string, format: BuiltInFormat): AsyncGenerator<Float32Array> {
  const codec = await openCodec(format);
  const output = new MonoOutput();
  const readBytes = format === 'wav' ? READ_PLAIN : READ_COMPRESSED;
  const file = await open(path);
  try {
    for (;;) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(readBytes), 0, readBytes);
      if (bytesRead === 0) break;
      yield* output.add(await codec.push(buffer.subarray(0, bytesRead)));
    }
  } finally {
    await file.close();
  }
  yield* output.add(await codec.flush());
  yield* output.end();
}

/** Mixes to mono and resamples; the rate may change inside a file that was joined from others. */
class MonoOutput {
  #resampler: Resampler | undefined;
  #rate = 0;

  *add({ channelData, sampleRate }: PcmBlock): Generator<Float32Array> {
    const mono = mixDown(channelData);
    if (mono.length === 0 || sampleRate <= 0) return;
    if (this.#resampler === undefined || this.#rate !== sampleRate) {
      yield* this.end();
      this.#resampler = new Resampler(sampleRate, SAMPLE_RATE);
      this.#rate = sampleRate;
    }
    yield* some(this.#resampler.push(mono));
  }

  *end(): Generator<Float32Array> {
    if (this.#resampler !== undefined) yield* some(this.#resampler.flush());
  }
}

function* some(samples: Float32Array): Generator<Float32Array> {
  if (samples.length > 0) yield samples;
}
