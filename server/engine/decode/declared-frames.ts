import { afterZeros } from './audio-format.ts';
import { textOf, viewOf } from './bytes.ts';
import type { Source } from './declared-source.ts';
import { frameAt } from './mpeg-frames.ts';

/** Enough bytes for the zeros that some encoders put before the first frame, and for that frame. */
const MP3_HEAD_BYTES = 4096;
/** Offset of Fraunhofer's VBRI header in its frame. */
const VBRI_AT = 36;

/** Sample rate and number of samples in FLAC's STREAMINFO; the number is 0 if unknown. */
export function streamInfo(info: Uint8Array): { rate: number; samples: number } | null {
  if (info.length < 18) return null;
  const view = viewOf(info);
  return { rate: view.getUint32(10) >>> 12, samples: (view.getUint8(13) & 15) * 2 ** 32 + view.getUint32(14) };
}

/** Length of bare FLAC in seconds, from its STREAMINFO; null if unknown. */
export async function flacLength(source: Source, start: number): Promise<number | null> {
  const head = await source.read(start, 42);
  const info = head.length === 42 && ((head[4] ?? 0) & 0x7f) === 0 ? streamInfo(head.subarray(8)) : null;
  return info === null || info.samples === 0 ? null : info.samples / info.rate;
}

/** Length of MP3 in seconds, from the number of frames in a Xing, Info or VBRI header; null if it has none. */
export async function mp3Length(source: Source, start: number): Promise<number | null> {
  const bytes = await source.read(start, MP3_HEAD_BYTES);
  const at = afterZeros(bytes);
  const frame = frameAt(bytes, at);
  if (frame?.layer !== 3) return null;
  const isFirst = frame.version === 1;
  const xingAt = 4 + (isFirst ? (frame.isMono ? 17 : 32) : frame.isMono ? 9 : 17);
  const frames = framesOf(bytes.subarray(at), xingAt);
  return frames === null ? null : (frames * (isFirst ? 1152 : 576)) / frame.sampleRate;
}

function framesOf(frame: Uint8Array, xingAt: number): number | null {
  const name = textOf(frame, xingAt, xingAt + 4);
  const view = viewOf(frame);
  if ((name === 'Xing' || name === 'Info') && frame.length >= xingAt + 12)
    return (view.getUint32(xingAt + 4) & 1) === 0 ? null : view.getUint32(xingAt + 8);
  return textOf(frame, VBRI_AT, VBRI_AT + 4) === 'VBRI' && frame.length >= VBRI_AT + 18
    ? view.getUint32(VBRI_AT + 14)
    : null;
}
