import { joined, viewOf } from './bytes.ts';
import type { ByteReader } from './bytes.ts';
import type { PcmBlock } from './codec.ts';
import { EngineError } from '../port.ts';

/** The layout of interleaved PCM. */
export interface SampleLayout {
  kind: 'int' | 'uint' | 'float' | 'alaw' | 'mulaw';
  /** Bytes of a sample. If it has fewer valid bits, they are left-justified. */
  width: number;
  littleEndian: boolean;
  channels: number;
  /** Hz. */
  sampleRate: number;
}

type ReadSample = (view: DataView, at: number) => number;

const READ_BYTES = 1 << 15;
const RATE_MIN = 1000;
const RATE_MAX = 768_000;
const CHANNELS_MAX = 32;

/**
 * Refuses impossible values, so that a damaged header cannot make the decoder take too much memory.
 * @throws EngineError
 */
export function checkShape(sampleRate: number, channels: number): void {
  if (!(sampleRate >= RATE_MIN && sampleRate <= RATE_MAX))
    throw new EngineError(
      'invalid_audio',
      `The audio claims a sample rate of ${sampleRate} Hz, which no recording has.`,
    );
  if (!(channels >= 1 && channels <= CHANNELS_MAX))
    throw new EngineError(
      'invalid_audio',
      `The audio claims ${channels} channels; this server takes 1 to ${CHANNELS_MAX}.`,
    );
}

/** Table of the sample values of the 256 G.711 codes. */
function expand(code: (byte: number) => number): Float32Array {
  return Float32Array.from({ length: 256 }, (_, byte) => code(byte) / 32_768);
}

const ALAW = expand((byte) => {
  const bits = byte ^ 0x55;
  const exponent = (bits >> 4) & 7;
  const mantissa = ((bits & 15) << 4) + 8;
  const size = exponent === 0 ? mantissa : (mantissa + 256) << (exponent - 1);
  return bits & 0x80 ? size : -size;
});

const MULAW = expand((byte) => {
  const bits = ~byte & 0xff;
  const size = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132;
  return bits & 0x80 ? -size : size;
});

/** Clips to [-1, 1], as players do; NaN becomes 0. */
export const clipped = (value: number): number => (Number.isNaN(value) ? 0 : Math.max(-1, Math.min(1, value)));

/** Converts samples to s16le, clipped. */
export function toS16(samples: Float32Array): Uint8Array {
  const bytes = new Uint8Array(samples.length * 2);
  const view = viewOf(bytes);
  samples.forEach((sample, index) =>
    view.setInt16(index * 2, Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768))), true),
  );
  return bytes;
}

function integerAt(view: DataView, at: number, width: number, little: boolean): number {
  switch (width) {
    case 1:
      return view.getInt8(at);
    case 2:
      return view.getInt16(at, little);
    case 3:
      return little
        ? view.getUint16(at, true) | (view.getInt8(at + 2) << 16)
        : (view.getInt8(at) << 16) | view.getUint16(at + 1, false);
    default:
      return view.getInt32(at, little);
  }
}

/** @throws EngineError for an impossible width */
function readerOf({ kind, width, littleEndian }: SampleLayout): ReadSample {
  if (kind === 'alaw' || kind === 'mulaw') {
    const table = kind === 'alaw' ? ALAW : MULAW;
    return (view, at) => table[view.getUint8(at)] ?? 0;
  }
  if (kind === 'float' && width === 4) return (view, at) => clipped(view.getFloat32(at, littleEndian));
  if (kind === 'float' && width === 8) return (view, at) => clipped(view.getFloat64(at, littleEndian));
  if (kind === 'float' || width < 1 || width > 4)
    throw new EngineError('invalid_audio', `The audio claims samples of ${width * 8} bits, which no recording has.`);
  const scale = 2 ** (width * 8 - 1);
  if (kind === 'int') return (view, at) => integerAt(view, at, width, littleEndian) / scale;
  // An unsigned sample is a signed one with the highest bit inverted.
  return (view, at) => {
    const value = integerAt(view, at, width, littleEndian);
    return (value < 0 ? value + scale : value - scale) / scale;
  };
}

/** Makes a function that turns whole PCM frames into planar audio. @throws EngineError for an impossible layout */
export function pcmReader(layout: SampleLayout): (frames: Uint8Array) => PcmBlock {
  const { width, channels, sampleRate } = layout;
  checkShape(sampleRate, channels);
  const read = readerOf(layout);
  return (frames) => {
    const view = viewOf(frames);
    const count = Math.floor(frames.length / (width * channels));
    const channelData = Array.from({ length: channels }, () => new Float32Array(count));
    channelData.forEach((samples, channel) => {
      for (let frame = 0; frame < count; frame += 1) samples[frame] = read(view, (frame * channels + channel) * width);
    });
    return { channelData, sampleRate };
  };
}

/** Decodes PCM to its end; drops an incomplete last frame. @throws EngineError */
export async function* decodePcm(bytes: ByteReader, layout: SampleLayout): AsyncGenerator<PcmBlock> {
  const toBlock = pcmReader(layout);
  const frameBytes = layout.width * layout.channels;
  let rest: Uint8Array = new Uint8Array(0);
  for (let piece = await bytes.upTo(READ_BYTES); piece !== null; piece = await bytes.upTo(READ_BYTES)) {
    const data = rest.length === 0 ? piece : joined([rest, piece]);
    const whole = data.length - (data.length % frameBytes);
    rest = data.subarray(whole);
    if (whole > 0) yield toBlock(data.subarray(0, whole));
  }
}
