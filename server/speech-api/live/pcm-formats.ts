/** A raw encoding of samples. `sample` converts each to a signed 16-bit number. */
export interface PcmFormat {
  bytesPerSample: number;
  /** The sample at a byte position, -32768 to 32767. */
  sample(view: DataView, at: number): number;
}

const MIN = -32_768;
const MAX = 32_767;
const clamp = (value: number): number => Math.max(MIN, Math.min(MAX, value));
/** Full scale is ±1. Clips larger values; NaN becomes silence. */
const fromFloat = (value: number): number => (Number.isNaN(value) ? 0 : clamp(Math.round(value * -MIN)));

/** Added to a sample's magnitude before µ-law encoding, so subtracted after decoding (G.711). */
const MULAW_BIAS = 0x84;

/** G.711 µ-law: all bits inverted; sign, three bits of exponent, four of mantissa. */
function fromMulaw(byte: number): number {
  const code = ~byte & 0xff;
  const magnitude = ((((code & 0x0f) << 3) + MULAW_BIAS) << ((code >> 4) & 7)) - MULAW_BIAS;
  return code & 0x80 ? -magnitude : magnitude;
}

/** G.711 A-law: even bits inverted; the sign bit is set for positive samples, exponent 0 is linear. */
function fromAlaw(byte: number): number {
  const code = byte ^ 0x55;
  const exponent = (code >> 4) & 7;
  const mantissa = ((code & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1);
  return code & 0x80 ? magnitude : -magnitude;
}

const MULAW = Int16Array.from({ length: 256 }, (_, byte) => fromMulaw(byte));
const ALAW = Int16Array.from({ length: 256 }, (_, byte) => fromAlaw(byte));

const unsigned24 = (view: DataView, at: number, little: boolean): number =>
  little
    ? view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
    : (view.getUint8(at) << 16) | view.getUint16(at + 1);

const FORMATS = new Map<string, PcmFormat>([
  ['s8', { bytesPerSample: 1, sample: (view, at) => view.getInt8(at) * 256 }],
  ['u8', { bytesPerSample: 1, sample: (view, at) => (view.getUint8(at) - 128) * 256 }],
  ['mulaw', { bytesPerSample: 1, sample: (view, at) => MULAW[view.getUint8(at)] ?? 0 }],
  ['alaw', { bytesPerSample: 1, sample: (view, at) => ALAW[view.getUint8(at)] ?? 0 }],
]);
for (const little of [true, false]) {
  const order = little ? 'le' : 'be';
  const add = (name: string, bytesPerSample: number, sample: PcmFormat['sample']): unknown =>
    FORMATS.set(name + order, { bytesPerSample, sample });
  add('s16', 2, (view, at) => view.getInt16(at, little));
  add('u16', 2, (view, at) => view.getUint16(at, little) + MIN);
  // Rounds to the nearest 16-bit value. The largest values would round out of range, so they are clamped.
  add('s24', 3, (view, at) => clamp(Math.round(((unsigned24(view, at, little) << 8) >> 8) / 0x100)));
  add('u24', 3, (view, at) => clamp(Math.round((unsigned24(view, at, little) - 0x80_0000) / 0x100)));
  add('s32', 4, (view, at) => clamp(Math.round(view.getInt32(at, little) / 0x1_0000)));
  add('u32', 4, (view, at) => clamp(Math.round((view.getUint32(at, little) - 0x8000_0000) / 0x1_0000)));
  add('f32', 4, (view, at) => fromFloat(view.getFloat32(at, little)));
  add('f64', 8, (view, at) => fromFloat(view.getFloat64(at, little)));
}

/** Short names of all raw formats; each may also be written with the prefix `pcm_`. */
export const PCM_FORMATS: readonly string[] = [...FORMATS.keys()];

/** The raw format of this name, or null. Accepts a byte order on one-byte formats (`s8le`), as some clients send. */
export const pcmFormat = (name: string): PcmFormat | null =>
  FORMATS.get(name.replace(/^pcm_/, '').replace(/^([su]8)[lb]e$/, '$1')) ?? null;

/** Converts a stream of raw samples to s16le. Chunks may be cut anywhere; channels stay interleaved. */
export class PcmConverter {
  readonly #format: PcmFormat;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(format: PcmFormat) {
    this.#format = format;
  }

  /** Returns the samples that are complete, and keeps a cut one. The result may share memory with `bytes`. */
  push(bytes: Uint8Array): Uint8Array {
    const { bytesPerSample, sample } = this.#format;
    const data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const samples = Math.floor(data.length / bytesPerSample);
    // Copied, so that one byte does not keep a whole frame in memory.
    this.#rest = Uint8Array.from(data.subarray(samples * bytesPerSample));
    if (this.#format === FORMATS.get('s16le')) return data.subarray(0, samples * 2);
    const input = new DataView(data.buffer, data.byteOffset, data.length);
    const output = new DataView(new ArrayBuffer(samples * 2));
    for (let n = 0; n < samples; n += 1) output.setInt16(n * 2, sample(input, n * bytesPerSample), true);
    return new Uint8Array(output.buffer);
  }
}

const BYTES_PER_SAMPLE = 2;

/** Length of this many bytes of s16le, milliseconds. */
export const audioMsOf = (bytes: number, { sampleRate, channels }: { sampleRate: number; channels: number }): number =>
  Math.round((bytes * 1000) / (sampleRate * channels * BYTES_PER_SAMPLE));

/** The largest number of bytes of s16le that last at most `ms` milliseconds; whole samples of all channels. */
export const bytesOfMs = (ms: number, { sampleRate, channels }: { sampleRate: number; channels: number }): number =>
  Math.floor((ms * sampleRate) / 1000) * channels * BYTES_PER_SAMPLE;
