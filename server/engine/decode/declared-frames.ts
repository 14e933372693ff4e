import { textOf, viewOf } from './bytes.ts';
import type { Source } from './declared-source.ts';

/** Zeros that some encoders put before the first frame, and the frame itself. */
const MP3_HEAD_BYTES = 4096;
const MPEG_RATES = [44_100, 48_000, 32_000];
/** Where a Variable Bitrate header of Fraunhofer's stands, from the start of its frame. */
const VBRI_AT = 36;

/** Samples a second and the number of samples in the STREAMINFO of FLAC; the number is 0 where its writer did not know it. */
export function streamInfo(info: Uint8Array): { rate: number; samples: number } | null {
  if (info.length < 18) return null;
  const view = viewOf(info);
  return { rate: view.getUint32(10) >>> 12, samples: (view.getUint8(13) & 15) * 2 ** 32 + view.getUint32(14) };
}

/** Bare FLAC: its first block of metadata is the STREAMINFO. */
export async function flacLength(source: Source, start: number): Promise<number | null> {
  const head = await source.read(start, 42);
  const info = head.length === 42 && ((head[4] ?? 0) & 0x7f) === 0 ? streamInfo(head.subarray(8)) : null;
  return info === null || info.samples === 0 ? null : info.samples / info.rate;
}

/** MP3 with a first frame that holds no sound but the number of frames: Xing, Info or VBRI. */
export async function mp3Length(source: Source, start: number): Promise<number | null> {
  const bytes = await source.read(start, MP3_HEAD_BYTES);
  const at = Math.max(
    0,
    bytes.findIndex((byte) => byte !== 0),
  );
  const frame = bytes.subarray(at);
  const [sync = 0, second = 0, third = 0, fourth = 0] = frame;
  const version = (second >> 3) & 3;
  const rate = MPEG_RATES[(third >> 2) & 3];
  if (sync !== 0xff || (second & 0xe0) !== 0xe0 || ((second >> 1) & 3) !== 1 || version === 1 || rate === undefined)
    return null;
  const isFirst = version === 3;
  const isMono = fourth >> 6 === 3;
  const frames = framesOf(frame, 4 + (isFirst ? (isMono ? 17 : 32) : isMono ? 9 : 17));
  if (frames === null) return null;
  return (frames * (isFirst ? 1152 : 576)) / (rate / (isFirst ? 1 : version === 2 ? 2 : 4));
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
